/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fabric of a machine, without delay: transactions of peerpath's devices happen as dma.h says, and their deliveries
 * come from a bottom half, in the order in which all devices asked.
 */
#ifndef PEERPATH_FABRIC_H
#define PEERPATH_FABRIC_H

#include "dma.h"

/* What a device hears. Never from within a call of this file's functions. */
struct peerpath_listener {
    void (*delivered)(void *device, uint64_t cookie, bool success, const void *data, size_t size);
    void (*wake)(void *device);
};

/* A device's place at the fabric. */
typedef struct PeerpathPlace PeerpathPlace;

PeerpathPlace *peerpath_place_new(PCIDevice *device, const struct peerpath_listener *listener);
/* The device is unplugged: nothing is asked for or delivered any more. */
void peerpath_place_close(PeerpathPlace *place);
/* The device is gone; NULL is nothing. */
void peerpath_place_free(PeerpathPlace *place);

/* As pp_bus has them. A write happens at once. */
void peerpath_fabric_read(PeerpathPlace *place, uint64_t cookie, uint64_t address, size_t size, enum pp_purpose purpose);
void peerpath_fabric_write(PeerpathPlace *place, uint64_t cookie, uint64_t address, const void *from, size_t size,
                           size_t flag_at, enum pp_purpose purpose);
/* `wake` is called behind what is under way now. */
void peerpath_fabric_wake(PeerpathPlace *place);

/* What the device asked for is forgotten, as by a reset. */
void peerpath_fabric_forget(PeerpathPlace *place);
/* Delivers what is under way, for at most one turn: a read of a register takes a round trip, and what came before it is
   through by then. Nothing, if deliveries are being made already. */
void peerpath_fabric_flush(void);

#endif
