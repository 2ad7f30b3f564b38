/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How peerpath's devices reach memory. All their DMA goes through here: switches route it before any IOMMU sees it, it
 * ends in RAM, in a device's BAR or nowhere, and the machine's ledger counts it.
 */
#ifndef PEERPATH_DMA_H
#define PEERPATH_DMA_H

#include "compat.h"
#include "peerpath/c/dma.h"

/* How long devices work before others of QEMU's loop have their turn. */
enum { PEERPATH_TURN_NS = 1000 * 1000 };

/* False if the access failed, or a part of it. Devices reach RAM, and BARs of devices that are no bridges. The rest of
   the address space is not for peers: by configuration space a device could unplug itself. */
bool peerpath_dma(PCIDevice *requester, uint64_t address, void *buffer, size_t size, bool is_write,
                  enum pp_purpose purpose);
/* A write whose bytes flag_at and flag_at + 1 become visible after all others. */
bool peerpath_dma_publish(PCIDevice *requester, uint64_t address, const uint8_t *entry, size_t size, size_t flag_at,
                          enum pp_purpose purpose);
/* The region is a BAR of `device` although its owner is another object; NULL: no longer. */
void peerpath_dma_bar(MemoryRegion *region, PCIDevice *device);

/* For a device that is being unplugged, maybe in the middle of its own work: the object stays until that is over. */
void peerpath_keep_for_now(Object *device);

#endif
