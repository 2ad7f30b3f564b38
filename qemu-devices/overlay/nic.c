/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peerpath-nic: a Google Virtual NIC (DQO, raw addressing) whose behaviour is peerpath's own NIC. Here is the plumbing. */
#include "compat.h"
#include "hw/pci/msi.h"
#include "migration/vmstate.h"
#include "net/net.h"
#include "fabric.h"
#include "machine_ledger.h"
#include "peerpath/c/nic.h"

#define TYPE_PEERPATH_NIC "peerpath-nic"
OBJECT_DECLARE_SIMPLE_TYPE(PeerpathNic, PEERPATH_NIC)

enum { REGISTERS_BAR = 0, MSIX_BAR = 1, DOORBELLS_BAR = 2, BAR_SIZE = 4096 };


struct PeerpathNic {
    PCIDevice parent_obj;
    MemoryRegion registers, doorbells;
    NICState *nic;
    NICConf conf;
    uint32_t queues, max_mtu;
    char *ledger_file, *trace_file;
    PeerpathPlace *place;
    QEMUBH *let_go;
    QEMUTimer *flush;
    int64_t held_since;
    uint32_t coalesce_idle_us, coalesce_limit_us;
    bool coalesce;
    char *wire_faults;
    struct pp_nic *core;
};

static void host_read(void *host, uint64_t cookie, uint64_t address, size_t size, enum pp_purpose purpose)
{
    peerpath_fabric_read(PEERPATH_NIC(host)->place, cookie, address, size, purpose);
}

static void host_write(void *host, uint64_t cookie, uint64_t address, const void *from, size_t size, size_t flag_at,
                       enum pp_purpose purpose)
{
    peerpath_fabric_write(PEERPATH_NIC(host)->place, cookie, address, from, size, flag_at, purpose);
}

static void host_interrupt(void *host, uint32_t vector)
{
    PCIDevice *pci = host;

    if (msix_enabled(pci)) {
        peerpath_ledger_interrupt(pci, msix_get_message(pci, vector).address);
        msix_notify(pci, vector);
    }
}

static void host_transmit(void *host, const uint8_t *frame, size_t size)
{
    PeerpathNic *s = PEERPATH_NIC(host);

    if (s->nic) {
        peerpath_trace_frame(host, true, frame, size);
        qemu_send_packet(qemu_get_queue(s->nic), frame, size);
    }
}

static void host_wake(void *host)
{
    peerpath_fabric_wake(PEERPATH_NIC(host)->place);
}

static void host_flush_soon(void *host)
{
    PeerpathNic *s = PEERPATH_NIC(host);

    const int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    if (!s->flush) {
        return;
    }
    /* Until nothing has come for a while, but no longer than a limit from the first on. */
    if (!timer_pending(s->flush)) {
        s->held_since = now;
    }
    timer_mod(s->flush, MIN(now + s->coalesce_idle_us * 1000ll, s->held_since + s->coalesce_limit_us * 1000ll));
}

static void flush(void *opaque)
{
    qemu_bh_schedule(PEERPATH_NIC(opaque)->let_go); /* timers are not guarded, bottom halves are */
}

static const struct pp_nic_host host_operations = {
    .bus = {.read = host_read, .write = host_write},
    .interrupt = host_interrupt,
    .transmit = host_transmit,
    .wake = host_wake,
    .flush_soon = host_flush_soon,
};

static void delivered(void *device, uint64_t cookie, bool success, const void *data, size_t size)
{
    pp_nic_delivered(PEERPATH_NIC(device)->core, cookie, success, data, size);
}

static void wake(void *device)
{
    pp_nic_wake(PEERPATH_NIC(device)->core);
}

static const struct peerpath_listener listener = {.delivered = delivered, .wake = wake};

static void let_go(void *opaque)
{
    PeerpathNic *s = opaque;
    const int64_t started = get_clock();

    while (pp_nic_flush(s->core)) {
        if (get_clock() - started >= PEERPATH_TURN_NS) {
            qemu_bh_schedule(s->let_go);
            return;
        }
    }
}

static uint64_t registers_read(void *opaque, hwaddr offset, unsigned size)
{
    peerpath_fabric_flush();
    return pp_nic_read(PEERPATH_NIC(opaque)->core, offset, size);
}

static void registers_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    pp_nic_write(PEERPATH_NIC(opaque)->core, offset, size, value);
}

static const MemoryRegionOps registers_ops = {
    .read = registers_read,
    .write = registers_write,
    .endianness = DEVICE_BIG_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 4},
    .impl = {.min_access_size = 1, .max_access_size = 4},
};

static uint64_t doorbells_read(void *opaque, hwaddr offset, unsigned size)
{
    return 0;
}

static void doorbells_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    PCIDevice *pci = opaque;

    peerpath_ledger_doorbell(pci, pci_get_bar_addr(pci, DOORBELLS_BAR) + offset, value);
    pp_nic_doorbell(PEERPATH_NIC(pci)->core, offset, value);
}

static const MemoryRegionOps doorbells_ops = {
    .read = doorbells_read,
    .write = doorbells_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 4, .max_access_size = 4},
    .impl = {.min_access_size = 4, .max_access_size = 4},
};

static ssize_t wire_receive(NetClientState *wire, const uint8_t *frame, size_t size)
{
    PeerpathNic *s = qemu_get_nic_opaque(wire);

    peerpath_trace_frame(PCI_DEVICE(s), false, frame, size);
    pp_nic_receive(s->core, frame, size);
    return size;
}

static void wire_link_changed(NetClientState *wire)
{
    PeerpathNic *s = qemu_get_nic_opaque(wire);

    pp_nic_set_link(s->core, !wire->link_down);
}

static NetClientInfo wire_info = {
    .type = NET_CLIENT_DRIVER_NIC,
    .size = sizeof(NICState),
    .receive = wire_receive,
    .link_status_changed = wire_link_changed,
};

/* "drop:5+corrupt:9": false if it is something else. */
static bool add_wire_faults(PeerpathNic *s)
{
    static const char *const names[] = {"drop:", "corrupt:", "reorder:"};
    g_auto(GStrv) words = g_strsplit(s->wire_faults ? s->wire_faults : "", "+", -1);

    for (char **word = words; *word; word++) {
        uint64_t frame = 0;
        unsigned kind = 0;

        while (kind < ARRAY_SIZE(names) && !g_str_has_prefix(*word, names[kind])) {
            kind++;
        }
        if (kind == ARRAY_SIZE(names) ||
            !g_ascii_string_to_unsigned(*word + strlen(names[kind]), 10, 1, UINT64_MAX, &frame, NULL)) {
            return false;
        }
        pp_nic_add_wire_fault(s->core, frame, kind);
    }
    return true;
}

static void peerpath_nic_realize(PCIDevice *pci, Error **errp)
{
    PeerpathNic *s = PEERPATH_NIC(pci);
    struct pp_nic_config config = {.abi = PP_ABI, .queues = s->queues, .max_mtu = s->max_mtu,
                                    .coalesce = s->coalesce};
    const uint32_t vectors = pp_nic_vectors(s->queues);

    if (!peerpath_route_fits(pci, errp)) {
        return;
    }
    peerpath_ledger_files(s->ledger_file, s->trace_file);
    qemu_macaddr_default_if_unset(&s->conf.macaddr);
    memcpy(config.mac, s->conf.macaddr.a, sizeof(config.mac));
    s->place = peerpath_place_new(pci, &listener);
    s->core = pp_nic_new(&config, &host_operations, s);
    if (!s->core) {
        error_setg(errp, "peerpath-nic: queues must be 1 to 16 and max-mtu 1500 to 65535; they are %u and %u", s->queues,
                   s->max_mtu);
        return;
    }
    if (!add_wire_faults(s)) {
        error_setg(errp, "peerpath-nic: wire-faults takes words such as drop:5+corrupt:9+reorder:12, not '%s'",
                   s->wire_faults);
        return;
    }
    pci->config[PCI_INTERRUPT_PIN] = 0;
    if (pci_bus_is_express(pci_get_bus(pci)) && pcie_endpoint_cap_init(pci, 0x80) < 0) {
        error_setg(errp, "peerpath-nic: no room for the PCI Express capability");
        return;
    }
    memory_region_init_io(&s->registers, OBJECT(s), &registers_ops, s, "peerpath-nic-registers", BAR_SIZE);
    memory_region_init_io(&s->doorbells, OBJECT(s), &doorbells_ops, s, "peerpath-nic-doorbells", BAR_SIZE);
    pci_register_bar(pci, REGISTERS_BAR, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->registers);
    pci_register_bar(pci, DOORBELLS_BAR, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->doorbells);
    if (msix_init_exclusive_bar(pci, vectors, MSIX_BAR, errp)) {
        return;
    }
    for (uint32_t i = 0; i < vectors; i++) {
        msix_vector_use(pci, i);
    }
    /* Guarded: DMA into its own registers is refused, so the core is never entered twice. */
    s->let_go = qemu_bh_new_guarded(let_go, s, &DEVICE(pci)->mem_reentrancy_guard);
    s->flush = timer_new_ns(QEMU_CLOCK_VIRTUAL, flush, s);
    s->nic = qemu_new_nic(&wire_info, &s->conf, TYPE_PEERPATH_NIC, DEVICE(pci)->id, &DEVICE(pci)->mem_reentrancy_guard, s);
    qemu_format_nic_info_str(qemu_get_queue(s->nic), s->conf.macaddr.a);
}

static void peerpath_nic_exit(PCIDevice *pci)
{
    PeerpathNic *s = PEERPATH_NIC(pci);

    peerpath_keep_for_now(OBJECT(s));
    qemu_del_nic(s->nic);
    peerpath_place_close(s->place);
    qemu_bh_delete(s->let_go);
    timer_free(s->flush);
    s->nic = NULL;
    s->let_go = NULL;
    s->flush = NULL;
    msix_uninit_exclusive_bar(pci);
}

static void peerpath_nic_finalize(Object *object)
{
    pp_nic_free(PEERPATH_NIC(object)->core);
    peerpath_place_free(PEERPATH_NIC(object)->place);
}

static void peerpath_nic_reset(DeviceState *device)
{
    PeerpathNic *s = PEERPATH_NIC(device);

    if (!s->let_go) {
        return;
    }
    peerpath_fabric_forget(s->place);
    qemu_bh_cancel(s->let_go);
    timer_del(s->flush);
    pp_nic_reset(s->core);
}

static char *get_counters(Object *object, Error **errp)
{
    struct pp_nic_counters c = {0};

    if (PEERPATH_NIC(object)->core) {
        pp_nic_count(PEERPATH_NIC(object)->core, &c);
    }
    return g_strdup_printf("{\"rx_frames\": %" PRIu64 ", \"rx_bytes\": %" PRIu64 ", \"rx_dropped\": %" PRIu64
                           ", \"tx_packets\": %" PRIu64 ", \"tx_frames\": %" PRIu64 ", \"tx_bytes\": %" PRIu64
                           ", \"bad_descriptors\": %" PRIu64 ", \"bad_doorbells\": %" PRIu64
                           ", \"bad_checksums\": %" PRIu64 ", \"dma_errors\": %" PRIu64
                           ", \"refused_commands\": %" PRIu64 ", \"coalesced\": %" PRIu64 ", \"faults\": %" PRIu64
                           ", \"rx_descriptors\": %" PRIu64 ", \"rx_descriptor_bytes\": %" PRIu64
                           ", \"rx_completions\": %" PRIu64 ", \"rx_completion_bytes\": %" PRIu64
                           ", \"tx_descriptors\": %" PRIu64 ", \"tx_descriptor_bytes\": %" PRIu64
                           ", \"tx_completions\": %" PRIu64 ", \"tx_completion_bytes\": %" PRIu64 "}",
                           c.rx_frames, c.rx_bytes, c.rx_dropped, c.tx_packets, c.tx_frames, c.tx_bytes,
                           c.bad_descriptors, c.bad_doorbells, c.bad_checksums, c.dma_errors, c.refused_commands,
                           c.coalesced, c.faults, c.rx_descriptors, c.rx_descriptor_bytes, c.rx_completions,
                           c.rx_completion_bytes, c.tx_descriptors, c.tx_descriptor_bytes, c.tx_completions,
                           c.tx_completion_bytes);
}

static const Property peerpath_nic_properties[] = {
    DEFINE_NIC_PROPERTIES(PeerpathNic, conf),
    DEFINE_PROP_UINT32("queues", PeerpathNic, queues, 4),
    DEFINE_PROP_UINT32("max-mtu", PeerpathNic, max_mtu, 9000),
    DEFINE_PROP_UINT32("coalesce-idle-us", PeerpathNic, coalesce_idle_us, 1000),
    DEFINE_PROP_UINT32("coalesce-limit-us", PeerpathNic, coalesce_limit_us, 100000),
    DEFINE_PROP_BOOL("coalesce", PeerpathNic, coalesce, true),
    DEFINE_PROP_STRING("wire-faults", PeerpathNic, wire_faults),
    DEFINE_PROP_STRING("ledger", PeerpathNic, ledger_file),
    DEFINE_PROP_STRING("trace", PeerpathNic, trace_file),
};

/* The state of the core is not saved. */
static const VMStateDescription peerpath_nic_state = {.name = TYPE_PEERPATH_NIC, .unmigratable = 1};

static void peerpath_nic_class_init(ObjectClass *class, peerpath_class_data *data)
{
    DeviceClass *device = DEVICE_CLASS(class);
    PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

    pci->realize = peerpath_nic_realize;
    pci->exit = peerpath_nic_exit;
    pci->vendor_id = 0x1ae0;
    pci->device_id = 0x0042;
    pci->revision = 1; /* 0 would be the older way to set up the admin queue */
    pci->class_id = PCI_CLASS_NETWORK_ETHERNET;
    device->desc = "peerpath NIC (Google Virtual NIC, DQO-RDA)";
    device->vmsd = &peerpath_nic_state;
    device_class_set_legacy_reset(device, peerpath_nic_reset);
    set_bit(DEVICE_CATEGORY_NETWORK, device->categories);
    device_class_set_props(device, peerpath_nic_properties);
    object_class_property_add_str(class, "counters", get_counters, NULL);
    peerpath_ledger_class_init(class);
}

static const TypeInfo peerpath_nic_type = {
    .name = TYPE_PEERPATH_NIC,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(PeerpathNic),
    .instance_finalize = peerpath_nic_finalize,
    .class_init = peerpath_nic_class_init,
    .interfaces = (peerpath_interface[]){{INTERFACE_PCIE_DEVICE}, {}},
};

static void peerpath_nic_register(void)
{
    type_register_static(&peerpath_nic_type);
}
type_init(peerpath_nic_register)
