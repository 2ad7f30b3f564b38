/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way of a request through QEMU's tree of bridges. The decisions are peerpath's own (peerpath/c/routing.h). */
#ifndef PEERPATH_ROUTE_H
#define PEERPATH_ROUTE_H

#include "compat.h"
#include "peerpath/c/routing.h"

/* Nodes of a route up, with the requester and the root complex; ports of a switch. */
enum { PEERPATH_MOST_HOPS = 24, PEERPATH_MOST_PORTS = 32 };
/* Switches and bridges between a device and the root complex. */
enum { PEERPATH_MOST_DEPTH = PEERPATH_MOST_HOPS - 2 };

struct peerpath_route {
    enum pp_way way;   /* PP_DOWN: turned in a switch; PP_UPSTREAM: reached the root complex */
    PCIDevice *turn;   /* for PP_DOWN: the port that it goes down */
    /* Nodes passed on the way up, from the requester on; the last is a switch (its upstream port) or NULL for the root
       complex. */
    PCIDevice *nodes[PEERPATH_MOST_HOPS];
    unsigned count;
};

/* False, with an error that names both numbers: more switches and bridges are above a device, or above what is plugged
   into a port, than a route can hold. Every device that routes asks when it is realized. */
bool peerpath_route_fits(PCIDevice *device, Error **errp);
/* Follows a request up from its requester until it turns, is refused, or reaches the root complex. */
void peerpath_route_up(PCIDevice *requester, uint64_t address, uint64_t size, struct peerpath_route *route);
/* Nodes from below `from` (a switch's upstream port, or NULL: the root complex) down to `target`, which comes last;
   `nodes` has PEERPATH_MOST_HOPS places. 0 if `target` is not below it, or too far below. */
unsigned peerpath_route_down(PCIDevice *from, PCIDevice *target, PCIDevice **nodes);
/* The upstream port of the switch that a downstream port belongs to, or NULL for a root port. */
PCIDevice *peerpath_switch_of(PCIDevice *port);
bool peerpath_is_below(PCIDevice *bridge, PCIDevice *device);

#endif
