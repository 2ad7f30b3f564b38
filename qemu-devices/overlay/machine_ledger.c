/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine_ledger.h"
#include "qemu/error-report.h"
#include "system/system.h"

static struct {
    struct pp_ledger *ledger;
    char *file;
    FILE *trace;
    Notifier at_exit;
    uint64_t write_bytes, write_ns;
} machine;

static struct pp_ledger *the_ledger(void)
{
    if (!machine.ledger) {
        machine.ledger = pp_ledger_new();
    }
    return machine.ledger;
}

static char *name_of(PCIDevice *device)
{
    if (!device) {
        return g_strdup("rc");
    }
    if (DEVICE(device)->id) {
        return g_strdup(DEVICE(device)->id);
    }
    return g_strdup_printf("%02x:%02x.%x", pci_dev_bus_num(device), PCI_SLOT(device->devfn), PCI_FUNC(device->devfn));
}

/* Numbers of links and names that were asked for lately. An entry is good only as long as the devices keep their names. */
static struct cached {
    PCIDevice *from, *to;
    const char *ids[2];
    bool used, up, is_link;
    uint32_t number;
} cache[256];

static const char *id_of(PCIDevice *device)
{
    return device ? DEVICE(device)->id : NULL;
}

static struct cached *cached(PCIDevice *from, PCIDevice *to, bool is_link, bool up, bool *hit)
{
    const uintptr_t key = (uintptr_t)from / 64 * 31 + (uintptr_t)to / 64 * 7 + 2 * is_link + up;
    struct cached *entry = &cache[(key ^ key >> 8) % ARRAY_SIZE(cache)];

    *hit = entry->used && entry->from == from && entry->to == to && entry->is_link == is_link && entry->up == up &&
           entry->ids[0] == id_of(from) && entry->ids[1] == id_of(to);
    if (!*hit) {
        *entry = (struct cached){from, to, {id_of(from), id_of(to)}, true, up, is_link, 0};
    }
    return entry;
}

static struct pp_hop hop_between(PCIDevice *from, PCIDevice *to, bool up)
{
    bool hit;
    struct cached *entry = cached(from, to, true, up, &hit);

    if (!hit) {
        g_autofree char *farther = name_of(up ? from : to), *nearer = name_of(up ? to : from);

        entry->number = pp_ledger_link(the_ledger(), farther, nearer, false);
    }
    return (struct pp_hop){entry->number, up};
}

static uint32_t number_of(PCIDevice *device)
{
    bool hit;
    struct cached *entry = cached(device, NULL, false, false, &hit);

    if (!hit) {
        g_autofree char *name = name_of(device);

        entry->number = pp_ledger_name(the_ledger(), name);
    }
    return entry->number;
}

static uint32_t number_of_name(const char *name)
{
    return pp_ledger_name(the_ledger(), name);
}

static struct pp_hop memory_hop(bool up)
{
    return (struct pp_hop){pp_ledger_link(the_ledger(), "dram", "rc", true), up};
}

/* `"path": [["nic0-sw0", "up"]]`: the links that the request crossed. */
static char *path_text(const struct pp_access *a)
{
    GString *text = g_string_new("");

    for (unsigned i = 0; i < a->hops; i++) {
        const char *farther, *nearer;

        pp_ledger_link_ends(machine.ledger, a->path[i].link, &farther, &nearer);
        g_string_append_printf(text, "%s[\"%s-%s\", \"%s\"]", i ? ", " : "", farther, nearer,
                               a->path[i].up ? "up" : "down");
    }
    return g_string_free(text, false);
}

/* `value`: what was written, or NULL if that is not for the trace. */
static void trace(const struct pp_access *a, const char *way, const uint32_t *value)
{
    g_autofree char *written = value ? g_strdup_printf(", \"value\": %" PRIu32, *value) : g_strdup("");
    g_autofree char *path = path_text(a);

    static const char *const purposes[] = {"payload",  "header",    "descriptor", "completion_entry",
                                           "doorbell", "interrupt", "control", "retransmission"};

    fprintf(machine.trace,
            "{\"guest_ns\": %" PRId64 ", \"operation\": \"%s\", \"requester\": \"%s\", \"completer\": \"%s\", "
            "\"address\": \"0x%" PRIx64 "\", \"bytes\": %" PRIu64 ", \"purpose\": \"%s\", \"turned\": \"%s\", "
            "\"status\": \"%s\", \"max_payload\": %" PRIu32 ", \"max_read_request\": %" PRIu32 ", \"path\": [%s]%s}\n",
            qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), a->write ? "write" : "read",
            pp_ledger_name_of(machine.ledger, a->requester), pp_ledger_name_of(machine.ledger, a->completer), a->address,
            a->size, purposes[a->purpose], way, a->failed ? "unsupported_request" : "success",
            a->max_payload, a->max_read_request, path, written);
}

void peerpath_trace_frame(PCIDevice *nic, bool out, const uint8_t *frame, size_t size)
{
    const size_t kept = MIN(size, 128);
    char hex[2 * 128 + 1];
    g_autofree char *name = NULL;

    if (!machine.trace) {
        return;
    }
    name = name_of(nic);
    for (size_t i = 0; i < kept; i++) {
        sprintf(hex + 2 * i, "%02x", frame[i]);
    }
    hex[2 * kept] = 0;
    fprintf(machine.trace,
            "{\"guest_ns\": %" PRId64 ", \"operation\": \"frame\", \"device\": \"%s\", \"direction\": \"%s\", "
            "\"bytes\": %zu, \"begins\": \"%s\"}\n",
            qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), name, out ? "out" : "in", size, hex);
}

static void add(const struct pp_access *a, const char *way, const uint32_t *value)
{
    pp_ledger_add(machine.ledger, a);
    if (machine.trace) {
        trace(a, way, value);
    }
}

/* MPS and MRRS as the requester's Device Control register has them. */
static void set_limits(PCIDevice *requester, struct pp_access *a)
{
    uint16_t control = 0;

    if (requester && pci_is_express(requester)) {
        control = pci_get_word(requester->config + requester->exp.exp_cap + PCI_EXP_DEVCTL);
    } else {
        control = 2 << 12;
    }
    a->max_payload = 128u << MIN((control & PCI_EXP_DEVCTL_PAYLOAD) >> 5, 5);
    a->max_read_request = 128u << MIN((control & PCI_EXP_DEVCTL_READRQ) >> 12, 5);
}

void peerpath_ledger_add(const struct peerpath_access *access)
{
    const struct peerpath_route *route = access->route;
    struct pp_hop hops[2 * PEERPATH_MOST_HOPS + 1];
    PCIDevice *down[PEERPATH_MOST_HOPS], *from = route->nodes[route->count - 1];
    struct pp_access a = {.write = access->is_write,
                          .failed = access->failed,
                          .purpose = access->purpose,
                          .address = access->address,
                          .size = access->size,
                          .path = hops};
    unsigned n;

    if (!the_ledger()) {
        return;
    }
    a.requester = number_of(access->requester);
    a.completer = access->target ? number_of(access->target) : number_of_name(access->failed ? "none" : "dram");
    for (unsigned i = 0; i + 1 < route->count; i++) {
        hops[a.hops++] = hop_between(route->nodes[i], route->nodes[i + 1], true);
    }
    if (access->target) {
        n = peerpath_route_down(from, access->target, down);
        for (unsigned i = 0; i < n; i++) {
            hops[a.hops++] = hop_between(i ? down[i - 1] : from, down[i], false);
        }
    } else if (!access->failed) {
        hops[a.hops++] = memory_hop(false);
    }
    set_limits(access->requester, &a);
    add(&a, route->way == PP_DOWN ? "switch" : route->way == PP_UPSTREAM ? "root" : "refused", NULL);
}

void peerpath_ledger_interrupt(PCIDevice *device, uint64_t address)
{
    struct peerpath_route route;
    struct peerpath_access access = {.requester = device,
                                     .route = &route,
                                     .address = address,
                                     .size = 4,
                                     .is_write = true,
                                     .purpose = PP_INTERRUPT};

    peerpath_route_up(device, address, 4, &route);
    access.failed = route.way != PP_UPSTREAM;
    peerpath_ledger_add(&access);
}

void peerpath_ledger_doorbell(PCIDevice *device, uint64_t address, uint32_t value)
{
    struct pp_hop hops[PEERPATH_MOST_HOPS + 1];
    PCIDevice *down[PEERPATH_MOST_HOPS];
    struct pp_access a = {.write = true, .purpose = PP_DOORBELL, .address = address, .size = 4, .path = hops};
    unsigned n = peerpath_route_down(NULL, device, down);

    if (!the_ledger()) {
        return;
    }
    a.requester = number_of_name("dram");
    a.completer = number_of(device);
    hops[a.hops++] = memory_hop(true);
    for (unsigned i = 0; i < n; i++) {
        hops[a.hops++] = hop_between(i ? down[i - 1] : NULL, down[i], false);
    }
    set_limits(NULL, &a);
    add(&a, "host", &value);
}

void peerpath_ledger_time(uint64_t bytes, int64_t ns)
{
    machine.write_bytes += bytes;
    machine.write_ns += ns;
}

/* Files and properties */

/* Writes to the file as it is: a rename over it would put a file in the place of a device or pipe. */
static bool write_text(const char *file, const char *text)
{
    FILE *out = fopen(file, "w");
    bool written;

    if (!out) {
        return false;
    }
    written = fputs(text, out) >= 0;
    return fclose(out) == 0 && written;
}

static int add_counters(Object *device, void *opaque)
{
    GString *text = opaque;
    g_autofree char *counters = NULL;

    if (object_property_find(device, "ledger-json") && object_property_find(device, "counters")) {
        counters = object_property_get_str(device, "counters", &error_abort);
        g_string_append_printf(text, "%s\"%s\": %s", text->len ? ", " : "", DEVICE(device)->id ? DEVICE(device)->id : "",
                               counters);
    }
    return 0;
}

/* The ledger with what each device counted. */
static char *whole_json(void)
{
    char *json = pp_ledger_json(the_ledger());
    g_autoptr(GString) counters = g_string_new("");
    char *text;

    object_child_foreach_recursive(object_get_root(), add_counters, counters);
    text = json ? g_strdup_printf("{\"counters\": {%s},%s", counters->str, json + 1) : NULL;
    free(json);
    return text;
}

static void write_files(Notifier *notifier, void *data)
{
    g_autofree char *json = whole_json();

    if (machine.file && (!json || !write_text(machine.file, json))) {
        error_report("the ledger cannot be written to %s: %s", machine.file, strerror(errno));
    }
    if (machine.trace) {
        fclose(machine.trace);
        machine.trace = NULL;
    }
}

void peerpath_ledger_files(const char *ledger_file, const char *trace_file)
{
    if (!machine.at_exit.notify && (ledger_file || trace_file)) {
        machine.at_exit.notify = write_files;
        qemu_add_exit_notifier(&machine.at_exit);
    }
    if (ledger_file) {
        g_free(machine.file);
        machine.file = g_strdup(ledger_file);
    }
    if (trace_file && !machine.trace) {
        machine.trace = fopen(trace_file, "w");
        if (!machine.trace) {
            error_report("the trace cannot be written to %s: %s", trace_file, strerror(errno));
        }
    }
}

static char *get_json(Object *object, Error **errp)
{
    char *json = the_ledger() ? pp_ledger_json(the_ledger()) : NULL;
    char *copy = g_strdup(json ? json : "{}");

    free(json);
    return copy;
}

/* What payload writes cost the host, from the device's call to the last byte. */
static char *get_time(Object *object, Error **errp)
{
    return g_strdup_printf("{\"payload_write_bytes\": %" PRIu64 ", \"payload_write_ns\": %" PRIu64 "}",
                           machine.write_bytes, machine.write_ns);
}

static bool get_reset(Object *object, Error **errp)
{
    return false;
}

static void set_reset(Object *object, bool value, Error **errp)
{
    if (value && the_ledger()) {
        pp_ledger_reset(the_ledger());
    }
}

void peerpath_ledger_class_init(ObjectClass *class)
{
    object_class_property_add_str(class, "ledger-json", get_json, NULL);
    object_class_property_add_str(class, "dma-time", get_time, NULL);
    object_class_property_add_bool(class, "ledger-reset", get_reset, set_reset);
}
