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

/* What is at an address. */
struct place {
    PCIDevice *owner; /* NULL: the host */
    uint64_t size;    /* how much of what was asked for it holds */
    bool reachable;   /* for DMA */
};

static bool is_bar(MemoryRegion *region, PCIDevice *device)
{
    for (; region; region = region->container) {
        for (int i = 0; i < PCI_ROM_SLOT; i++) {
            if (device->io_regions[i].memory == region) {
                return true;
            }
        }
    }
    return false;
}

static struct place look(AddressSpace *space, PCIDevice *requester, uint64_t address, uint64_t size, bool is_write)
{
    MemTxAttrs attributes = {.requester_id = pci_requester_id(requester)};
    hwaddr offset, length = size;
    MemoryRegion *region;
    struct place place;
    Object *owner;

    RCU_READ_LOCK_GUARD();
    region = address_space_translate(space, address, &offset, &length, is_write, attributes);
    place.size = MIN(MAX(length, 1), size);
    owner = memory_region_owner(region);
    if (bars && g_hash_table_contains(bars, region)) {
        place.owner = g_hash_table_lookup(bars, region);
    } else {
        place.owner = owner ? (PCIDevice *)object_dynamic_cast(owner, TYPE_PCI_DEVICE) : NULL;
    }
    place.reachable = memory_region_is_ram(region) ||
                      (place.owner && !IS_PCI_BRIDGE(place.owner) && is_bar(region, place.owner));
    return place;
}

/* Whether all of a range can be reached and, for what a switch sends down a port, belongs to devices below it. `first` is
   the place at its begin. */
static bool can_reach(AddressSpace *space, PCIDevice *port, PCIDevice *requester, uint64_t address, size_t size,
                      bool is_write, struct place *first)
{
    struct place place = *first = look(space, requester, address, size, is_write);

    for (;;) {
        if (!place.reachable || (port && (!place.owner || !peerpath_is_below(port, place.owner)))) {
            return false;
        }
        address += place.size;
        size -= place.size;
        if (size == 0) {
            return true;
        }
        place = look(space, requester, address, size, is_write);
    }
}

static void count(const struct peerpath_route *route, AddressSpace *space, PCIDevice *requester, uint64_t address,
                  size_t size, bool is_write, bool failed, enum pp_purpose purpose, struct place place)
{
    struct peerpath_access access = {
        .requester = requester, .route = route, .is_write = is_write, .failed = failed, .purpose = purpose};

    if (failed) {
        access.address = address;
        access.size = size;
        peerpath_ledger_add(&access);
        return;
    }
    for (;;) {
        access.address = address;
        access.size = place.size;
        access.target = place.owner;
        peerpath_ledger_add(&access);
        address += place.size;
        size -= place.size;
        if (size == 0) {
            return;
        }
        place = look(space, requester, address, size, is_write);
    }
}

/* Routes, accesses, counts. Publishing is an access in which the bytes from `flag_at` on come last. */
static bool dma(PCIDevice *requester, uint64_t address, uint8_t *bytes, size_t size, size_t flag_at, size_t flag_size,
                bool is_write, enum pp_purpose purpose)
{
    const size_t behind = flag_at + flag_size;
    AddressSpace *space = pci_get_address_space(requester);
    struct peerpath_route route;
    struct place first = {0};
    bool done;

    if (size == 0 || address + size - 1 < address || !qatomic_read(&DEVICE(requester)->realized)) {
        return size == 0;
    }
    peerpath_route_up(requester, address, size, &route);
    if (route.way == PP_DOWN) {
        space = &address_space_memory; /* stays below the root port: no IOMMU translates it */
    }
    done = route.way != PP_REFUSED && can_reach(space, route.turn, requester, address, size, is_write, &first);
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
        count(&route, space, requester, address, size, is_write, !done, purpose, first);
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

static void let_go(void *device)
{
    object_unref(OBJECT(device));
}

void peerpath_keep_for_now(Object *device)
{
    object_ref(device);
    aio_bh_schedule_oneshot(qemu_get_aio_context(), let_go, device);
}
