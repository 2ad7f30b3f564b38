/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dma.h"
#include "machine_ledger.h"

/* Regions that are BARs and belong to somebody else: memory backends. */
static GHashTable *bars;

void peerpath_dma_bar(MemoryRegion *region, PCIDevice *device)
{
    if (!bars) {
        bars = g_hash_table_new(NULL, NULL);
    }
    if (device) {
        g_hash_table_insert(bars, region, device);
    } else {
        g_hash_table_remove(bars, region);
    }
}

static MemTxResult access_memory(AddressSpace *space, PCIDevice *requester, uint64_t address, void *buffer, size_t size,
                                 bool is_write)
{
    MemTxAttrs attributes = {.requester_id = pci_requester_id(requester)};

    return dma_memory_rw(space, address, buffer, size, is_write ? DMA_DIRECTION_FROM_DEVICE : DMA_DIRECTION_TO_DEVICE,
                         attributes);
}

/* The PCI device behind an address, NULL for memory of the host, and how much of `size` from there on it holds. */
static PCIDevice *owner_of(AddressSpace *space, PCIDevice *requester, uint64_t address, uint64_t *size, bool is_write)
{
    MemTxAttrs attributes = {.requester_id = pci_requester_id(requester)};
    hwaddr offset, length = *size;
    MemoryRegion *region;
    Object *owner;

    RCU_READ_LOCK_GUARD();
    region = address_space_translate(space, address, &offset, &length, is_write, attributes);
    *size = MAX(length, 1);
    owner = memory_region_owner(region);
    if (bars && g_hash_table_contains(bars, region)) {
        return g_hash_table_lookup(bars, region);
    }
    return owner ? (PCIDevice *)object_dynamic_cast(owner, TYPE_PCI_DEVICE) : NULL;
}

/* Whether all of the range that a switch is to send down a port belongs to devices below it. */
static bool is_below_port(PCIDevice *port, PCIDevice *requester, uint64_t address, size_t size, bool is_write)
{
    while (size > 0) {
        uint64_t part = size;
        PCIDevice *owner = owner_of(&address_space_memory, requester, address, &part, is_write);

        if (!owner || !peerpath_is_below(port, owner)) {
            return false;
        }
        address += part;
        size -= MIN(part, size);
    }
    return true;
}

static void count(const struct peerpath_route *route, AddressSpace *space, PCIDevice *requester, uint64_t address,
                  size_t size, bool is_write, bool failed, enum pp_purpose purpose)
{
    struct peerpath_access access = {
        .requester = requester, .route = route, .is_write = is_write, .failed = failed, .purpose = purpose};

    if (failed) {
        access.address = address;
        access.size = size;
        peerpath_ledger_add(&access);
        return;
    }
    while (size > 0) {
        access.address = address;
        access.size = size;
        access.target = owner_of(space, requester, address, &access.size, is_write);
        access.size = MIN(access.size, size);
        peerpath_ledger_add(&access);
        address += access.size;
        size -= access.size;
    }
}

/* Routes, accesses, counts. Publishing is an access in which the bytes from `flag_at` on come last. */
static bool dma(PCIDevice *requester, uint64_t address, uint8_t *bytes, size_t size, size_t flag_at, size_t flag_size,
                bool is_write, enum pp_purpose purpose)
{
    const size_t behind = flag_at + flag_size;
    AddressSpace *space = pci_get_address_space(requester);
    struct peerpath_route route;
    bool done;

    if (size == 0 || address + size - 1 < address) {
        return size == 0;
    }
    peerpath_route_up(requester, address, size, &route);
    if (route.way == PP_DOWN) {
        space = &address_space_memory; /* stays below the root port: no IOMMU translates it */
        done = is_below_port(route.turn, requester, address, size, is_write);
    } else {
        done = route.way == PP_UPSTREAM;
    }
    if (done && flag_at > 0) {
        done = access_memory(space, requester, address, bytes, flag_at, is_write) == MEMTX_OK;
    }
    if (done && behind < size) {
        done = access_memory(space, requester, address + behind, bytes + behind, size - behind, is_write) == MEMTX_OK;
    }
    /* Each access begins with a barrier, so whoever sees the flag sees the rest. */
    if (done && flag_size > 0) {
        done = access_memory(space, requester, address + flag_at, bytes + flag_at, flag_size, is_write) == MEMTX_OK;
    }
    if (purpose != PP_UNCOUNTED) {
        count(&route, space, requester, address, size, is_write, !done, purpose);
    }
    return done;
}

bool peerpath_dma(PCIDevice *requester, uint64_t address, void *buffer, size_t size, bool is_write,
                  enum pp_purpose purpose)
{
    const bool timed = is_write && purpose == PP_PAYLOAD;
    const int64_t started = timed ? get_clock() : 0;
    const bool done = dma(requester, address, buffer, size, size, 0, is_write, purpose);

    if (timed) {
        peerpath_ledger_time(size, get_clock() - started);
    }
    return done;
}

bool peerpath_dma_publish(PCIDevice *requester, uint64_t address, const uint8_t *entry, size_t size, size_t flag_at,
                          enum pp_purpose purpose)
{
    return dma(requester, address, (uint8_t *)entry, size, flag_at, 2, true, purpose);
}
