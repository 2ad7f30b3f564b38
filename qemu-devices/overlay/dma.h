/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How peerpath's devices reach memory: all their DMA goes through here. */
#ifndef PEERPATH_DMA_H
#define PEERPATH_DMA_H

#include "compat.h"
#include "peerpath/c/dma.h"

/* False if the access failed, or a part of it. */
bool peerpath_dma(PCIDevice *requester, uint64_t address, void *buffer, size_t size, bool is_write,
                  enum pp_purpose purpose);
/* As pp_dma::publish. */
bool peerpath_dma_publish(PCIDevice *requester, uint64_t address, const uint8_t *entry, size_t size, size_t flag_at,
                          enum pp_purpose purpose);

#endif
