/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "route.h"

static bool is_port_type(PCIDevice *device, uint8_t type)
{
    return pci_is_express(device) && pcie_cap_get_type(device) == type;
}

PCIDevice *peerpath_switch_of(PCIDevice *port)
{
    return is_port_type(port, PCI_EXP_TYPE_DOWNSTREAM) ? pci_get_bus(port)->parent_dev : NULL;
}

bool peerpath_is_below(PCIDevice *bridge, PCIDevice *device)
{
    for (PCIDevice *d = device; d; d = pci_get_bus(d)->parent_dev) {
        if (d == bridge) {
            return true;
        }
    }
    return false;
}

/* The node above a device: the switch that it is plugged into (its upstream port), a conventional bridge, or NULL: the
   root complex. */
static PCIDevice *node_above(PCIDevice *device)
{
    PCIDevice *port = pci_get_bus(device)->parent_dev;

    if (!port || is_port_type(port, PCI_EXP_TYPE_ROOT_PORT)) {
        return NULL;
    }
    return is_port_type(port, PCI_EXP_TYPE_DOWNSTREAM) ? peerpath_switch_of(port) : port;
}

bool peerpath_route_fits(PCIDevice *device, Error **errp)
{
    unsigned depth = 0;

    for (PCIDevice *node = node_above(device); node; node = node_above(node)) {
        depth++;
    }
    if (depth > PEERPATH_MOST_DEPTH) {
        error_setg(errp, "%s: there are %u switches and bridges between it and the root complex; at most %u are supported",
                   object_get_typename(OBJECT(device)), depth, PEERPATH_MOST_DEPTH);
        return false;
    }
    return true;
}

static void read_port(PCIDevice *device, struct pp_port *port)
{
    const uint16_t command = pci_get_word(device->config + PCI_COMMAND);
    const uint8_t types[2] = {PCI_BASE_ADDRESS_SPACE_MEMORY, PCI_BASE_ADDRESS_MEM_PREFETCH};

    memset(port, 0, sizeof(*port));
    port->memory_enabled = command & PCI_COMMAND_MEMORY;
    port->bus_master = command & PCI_COMMAND_MASTER;
    port->secondary_bus = device->config[PCI_SECONDARY_BUS];
    port->subordinate_bus = device->config[PCI_SUBORDINATE_BUS];
    for (int i = 0; i < 2; i++) {
        const uint64_t base = pci_bridge_get_base(device, types[i]), limit = pci_bridge_get_limit(device, types[i]);

        if (base < limit) {
            port->windows[i].base = base;
            port->windows[i].size = limit - base + 1;
        }
    }
    if (device->exp.acs_cap) {
        port->acs_control = pci_get_word(device->config + device->exp.acs_cap + PCI_ACS_CTRL);
    }
}

/* What the switch does with a request that came up into its port. */
static enum pp_way turn_in_switch(PCIDevice *ingress, PCIDevice *requester, uint64_t address, uint64_t size,
                                  PCIDevice **turn)
{
    struct pp_port ports[PEERPATH_MOST_PORTS];
    PCIDevice *devices[PEERPATH_MOST_PORTS];
    PCIBus *bus = pci_get_bus(ingress);
    uint32_t count = 0, own = 0, port = 0;
    enum pp_way way;

    for (int i = 0; i < ARRAY_SIZE(bus->devices) && count < PEERPATH_MOST_PORTS; i++) {
        PCIDevice *device = bus->devices[i];

        if (device && is_port_type(device, PCI_EXP_TYPE_DOWNSTREAM)) {
            if (device == ingress) {
                own = count;
            }
            devices[count] = device;
            read_port(device, &ports[count++]);
        }
    }
    way = pp_turn(ports, count, own, address, size, pci_requester_id(requester), &port);
    *turn = way == PP_DOWN ? devices[port] : NULL;
    return way;
}

/* A root port with ACS: what it redirects or lets pass is the root complex's business; what it refuses ends here. */
static enum pp_way pass_root_port(PCIDevice *root_port, PCIDevice *requester, uint64_t address, uint64_t size)
{
    struct pp_port port;
    uint32_t none;

    read_port(root_port, &port);
    if (!root_port->exp.acs_cap) {
        port.windows[0].size = port.windows[1].size = 0;
    }
    return pp_turn(&port, 1, 0, address, size, pci_requester_id(requester), &none);
}

/* The route ends refused where it has no place for another node. */
static bool append(struct peerpath_route *route, PCIDevice *node)
{
    if (route->count == PEERPATH_MOST_HOPS) {
        route->way = PP_REFUSED;
        return false;
    }
    route->nodes[route->count++] = node;
    return true;
}

void peerpath_route_up(PCIDevice *requester, uint64_t address, uint64_t size, struct peerpath_route *route)
{
    PCIDevice *device = requester;

    route->turn = NULL;
    route->nodes[0] = requester;
    route->count = 1;
    route->way = pci_get_word(requester->config + PCI_COMMAND) & PCI_COMMAND_MASTER ? PP_UPSTREAM : PP_REFUSED;
    while (route->way == PP_UPSTREAM) {
        PCIDevice *port = pci_get_bus(device)->parent_dev;

        device = node_above(device);
        if (!append(route, device)) {
            return;
        }
        if (!device) { /* without a port: integrated in the root complex */
            if (port) {
                route->way = pass_root_port(port, requester, address, size);
            }
            return;
        }
        if (port != device) { /* a switch; a conventional bridge routes nothing itself */
            route->way = turn_in_switch(port, requester, address, size, &route->turn);
            if (route->way == PP_UPSTREAM && !(pci_get_word(device->config + PCI_COMMAND) & PCI_COMMAND_MASTER)) {
                route->way = PP_REFUSED;
            }
        }
    }
}

unsigned peerpath_route_down(PCIDevice *from, PCIDevice *target, PCIDevice **nodes)
{
    PCIDevice *up[PEERPATH_MOST_HOPS];
    unsigned count = 0;

    for (PCIDevice *device = target; device != from; device = node_above(device)) {
        if (!device || count == PEERPATH_MOST_HOPS) {
            return 0;
        }
        up[count++] = device;
    }
    for (unsigned i = 0; i < count; i++) {
        nodes[i] = up[count - 1 - i];
    }
    return count;
}
