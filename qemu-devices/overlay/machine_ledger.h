/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's ledger: what crossed which link, for all of peerpath's devices together. */
#ifndef PEERPATH_MACHINE_LEDGER_H
#define PEERPATH_MACHINE_LEDGER_H

#include "route.h"

/* Properties `ledger`, `trace` (files) and, over QMP, `ledger-json` and `ledger-reset` of a device class. The device
   calls peerpath_ledger_files() with its properties when it is realized. */
void peerpath_ledger_class_init(ObjectClass *class);
void peerpath_ledger_files(const char *ledger_file, const char *trace_file);

/* A part of an access that went one way. `target` is NULL for host memory. */
struct peerpath_access {
    PCIDevice *requester, *target;
    const struct peerpath_route *route;
    uint64_t address, size;
    bool is_write, failed;
    enum pp_purpose purpose;
};
void peerpath_ledger_add(const struct peerpath_access *access);
/* A doorbell that the host has rung: 4 bytes from host memory to the device. */
void peerpath_ledger_doorbell(PCIDevice *device, uint64_t address, uint32_t value);
/* A write of payload took that long on the host. */
void peerpath_ledger_time(uint64_t bytes, int64_t ns);
/* A frame at a NIC's Ethernet port, for the trace: its size and its first 128 bytes. */
void peerpath_trace_frame(PCIDevice *nic, bool out, const uint8_t *frame, size_t size);
/* An MSI-X message. */
void peerpath_ledger_interrupt(PCIDevice *device, uint64_t address);

#endif
