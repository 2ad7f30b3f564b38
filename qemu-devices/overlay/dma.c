/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dma.h"

static MemTxResult access_memory(PCIDevice *requester, uint64_t address, void *buffer, size_t size, bool is_write)
{
    MemTxAttrs attributes = {.requester_id = pci_requester_id(requester)};

    return dma_memory_rw(pci_get_address_space(requester), address, buffer, size,
                         is_write ? DMA_DIRECTION_FROM_DEVICE : DMA_DIRECTION_TO_DEVICE, attributes);
}

bool peerpath_dma(PCIDevice *requester, uint64_t address, void *buffer, size_t size, bool is_write,
                  enum pp_purpose purpose)
{
    if (size == 0 || address + size - 1 < address) {
        return size == 0;
    }
    return access_memory(requester, address, buffer, size, is_write) == MEMTX_OK;
}

bool peerpath_dma_publish(PCIDevice *requester, uint64_t address, const uint8_t *entry, size_t size, size_t flag_at,
                          enum pp_purpose purpose)
{
    const size_t behind = flag_at + 2;
    uint8_t *bytes = (uint8_t *)entry; /* a write does not change them */
    bool done = true;

    if (address + size - 1 < address) {
        return false;
    }
    if (flag_at > 0) {
        done = access_memory(requester, address, bytes, flag_at, true) == MEMTX_OK;
    }
    if (behind < size) {
        done = access_memory(requester, address + behind, bytes + behind, size - behind, true) == MEMTX_OK && done;
    }
    /* Each access begins with a barrier, so whoever sees the flag sees the rest. */
    return access_memory(requester, address + flag_at, bytes + flag_at, 2, true) == MEMTX_OK && done;
}
