/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peerpath-gpu: a virtio-gpu without displays whose host-visible window is VRAM in a BAR of its own, and beside it a page
 * of registers and doorbells for its copy engines. Behaviour is peerpath's own GPU; here is the plumbing.
 */
#include "compat.h"
#include "qemu/iov.h"
#include "hw/virtio/virtio.h"
#include "migration/vmstate.h"
#include "hw/virtio/virtio-pci.h"
#include "standard-headers/linux/virtio_gpu.h"
#include "standard-headers/linux/virtio_ids.h"
#include "fabric.h"
#include "machine_ledger.h"
#include "peerpath/c/gpu.h"

#define TYPE_PEERPATH_GPU_VIRTIO "peerpath-gpu-virtio"
OBJECT_DECLARE_SIMPLE_TYPE(PeerpathGpuVirtio, PEERPATH_GPU_VIRTIO)
#define TYPE_PEERPATH_GPU "peerpath-gpu-base"
OBJECT_DECLARE_SIMPLE_TYPE(PeerpathGpu, PEERPATH_GPU)

enum { CONTROL_QUEUE = 256, CURSOR_QUEUE = 16, VECTORS = 3, COMMAND_MAX = 4096, FIRST_DOORBELL = 0x1000 };

struct PeerpathGpuVirtio {
    VirtIODevice parent_obj;
    VirtQueue *control, *cursor;
    struct pp_gpu *core; /* that of the PCI device */
};

struct PeerpathGpu {
    VirtIOPCIProxy parent_obj;
    PeerpathGpuVirtio virtio;
    MemoryRegion registers, own_vram, *vram;
    HostMemoryBackend *memdev;
    uint64_t vram_size;
    int registers_bar;
    char *layout, *ledger_file, *trace_file;
    PeerpathPlace *place;
    struct pp_gpu *core;
};

/* BAR numbers as on GPUs of a maker: where registers and memory are. */
static const struct Layout {
    const char *name;
    int registers, vram, virtio, msix;
} layouts[] = {
    {"nvidia", .registers = 0, .vram = 1, .virtio = 3, .msix = 5},
    {"amd", .registers = 5, .vram = 0, .virtio = 2, .msix = 4},
};

/* virtio */

static void handle_control(VirtIODevice *device, VirtQueue *queue)
{
    PeerpathGpuVirtio *s = PEERPATH_GPU_VIRTIO(device);
    g_autofree uint8_t *command = g_malloc(COMMAND_MAX);
    uint8_t reply[PP_GPU_REPLY];
    VirtQueueElement *element;

    while ((element = virtqueue_pop(queue, sizeof(*element)))) {
        size_t size = iov_to_buf(element->out_sg, element->out_num, 0, command, COMMAND_MAX);
        size_t length = pp_gpu_command(s->core, command, size, reply);

        length = iov_from_buf(element->in_sg, element->in_num, 0, reply, length);
        virtqueue_push(queue, element, length);
        g_free(element);
    }
    virtio_notify(device, queue);
}

static void handle_cursor(VirtIODevice *device, VirtQueue *queue)
{
    VirtQueueElement *element;

    while ((element = virtqueue_pop(queue, sizeof(*element)))) {
        virtqueue_push(queue, element, 0); /* no display, no cursor */
        g_free(element);
    }
    virtio_notify(device, queue);
}

static uint64_t virtio_features(VirtIODevice *device, uint64_t features, Error **errp)
{
    return features | 1ull << VIRTIO_GPU_F_VIRGL | 1ull << VIRTIO_GPU_F_RESOURCE_BLOB;
}

static void virtio_config(VirtIODevice *device, uint8_t *config)
{
    memset(config, 0, sizeof(struct virtio_gpu_config)); /* no displays, no renderers */
}

static void virtio_device_reset(VirtIODevice *device)
{
    PeerpathGpuVirtio *s = PEERPATH_GPU_VIRTIO(device);

    if (s->core) {
        pp_gpu_reset_commands(s->core);
    }
}

static void virtio_realize(DeviceState *device, Error **errp)
{
    PeerpathGpuVirtio *s = PEERPATH_GPU_VIRTIO(device);

    virtio_init(VIRTIO_DEVICE(device), VIRTIO_ID_GPU, sizeof(struct virtio_gpu_config));
    s->control = virtio_add_queue(VIRTIO_DEVICE(device), CONTROL_QUEUE, handle_control);
    s->cursor = virtio_add_queue(VIRTIO_DEVICE(device), CURSOR_QUEUE, handle_cursor);
}

static void virtio_unrealize(DeviceState *device)
{
    PeerpathGpuVirtio *s = PEERPATH_GPU_VIRTIO(device);

    virtio_delete_queue(s->control);
    virtio_delete_queue(s->cursor);
    virtio_cleanup(VIRTIO_DEVICE(device));
}

static void virtio_class_init(ObjectClass *class, peerpath_class_data *data)
{
    VirtioDeviceClass *virtio = VIRTIO_DEVICE_CLASS(class);

    virtio->realize = virtio_realize;
    virtio->unrealize = virtio_unrealize;
    virtio->get_features = virtio_features;
    virtio->get_config = virtio_config;
    virtio->reset = virtio_device_reset;
}

/* Registers and copy engines */

static void host_read(void *host, uint64_t cookie, uint64_t address, size_t size, enum pp_purpose purpose)
{
    peerpath_fabric_read(PEERPATH_GPU(host)->place, cookie, address, size, purpose);
}

static void host_write(void *host, uint64_t cookie, uint64_t address, const void *from, size_t size, size_t flag_at,
                       enum pp_purpose purpose)
{
    peerpath_fabric_write(PEERPATH_GPU(host)->place, cookie, address, from, size, flag_at, purpose);
}

static const struct pp_gpu_host host_operations = {
    .bus = {.read = host_read, .write = host_write},
};

static void delivered(void *device, uint64_t cookie, bool success, const void *data, size_t size)
{
    pp_gpu_delivered(PEERPATH_GPU(device)->core, cookie, success, data, size);
}

static const struct peerpath_listener listener = {.delivered = delivered};

static uint64_t registers_read(void *opaque, hwaddr offset, unsigned size)
{
    return pp_gpu_read(PEERPATH_GPU(opaque)->core, offset, size);
}

static void registers_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    PeerpathGpu *s = PEERPATH_GPU(opaque);

    if (offset >= FIRST_DOORBELL) {
        peerpath_ledger_doorbell(PCI_DEVICE(s), pci_get_bar_addr(PCI_DEVICE(s), s->registers_bar) + offset, value);
    }
    pp_gpu_write(s->core, offset, size, value);
}

static const MemoryRegionOps registers_ops = {
    .read = registers_read,
    .write = registers_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 4, .max_access_size = 8},
    .impl = {.min_access_size = 4, .max_access_size = 8},
};

/* The PCI device */

static bool make_vram(PeerpathGpu *s, Error **errp)
{
    if (s->memdev) {
        if (host_memory_backend_is_mapped(s->memdev)) {
            error_setg(errp, "peerpath-gpu: the memory backend '%s' is in use", object_get_canonical_path_component(OBJECT(s->memdev)));
            return false;
        }
        s->vram = host_memory_backend_get_memory(s->memdev);
        s->vram_size = memory_region_size(s->vram);
    }
    if (s->vram_size < 64 * KiB || !is_power_of_2(s->vram_size)) {
        error_setg(errp, "peerpath-gpu: VRAM must be a power of two and at least 64 KiB; it is %" PRIu64 " bytes",
                   s->vram_size);
        return false;
    }
    if (s->memdev) {
        host_memory_backend_set_mapped(s->memdev, true);
        peerpath_dma_bar(s->vram, PCI_DEVICE(s));
        return true;
    }
    s->vram = &s->own_vram;
    return memory_region_init_ram(s->vram, OBJECT(s), "peerpath-gpu-vram", s->vram_size, errp);
}

static void gpu_realize(VirtIOPCIProxy *proxy, Error **errp)
{
    PeerpathGpu *s = PEERPATH_GPU(proxy);
    PCIDevice *pci = PCI_DEVICE(proxy);
    const uint8_t memory64 =
        PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_PREFETCH | PCI_BASE_ADDRESS_MEM_TYPE_64;
    const struct Layout *layout = NULL;
    struct pp_gpu_config config = {.abi = PP_ABI};

    for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
        if (!s->layout || !strcmp(s->layout, layouts[i].name)) {
            layout = &layouts[i];
            break;
        }
    }
    if (!layout) {
        error_setg(errp, "peerpath-gpu: there is no layout '%s'; known are nvidia and amd", s->layout);
        return;
    }
    if (!peerpath_route_fits(pci, errp)) {
        return;
    }
    peerpath_ledger_files(s->ledger_file, s->trace_file);
    if (!make_vram(s, errp)) {
        return;
    }
    s->registers_bar = layout->registers;
    config.vram_bar = layout->vram;
    config.vram = memory_region_get_ram_ptr(s->vram);
    config.vram_size = s->vram_size;
    s->core = pp_gpu_new(&config, &host_operations, s);
    if (!s->core) {
        error_setg(errp, "peerpath-gpu: out of memory");
        return;
    }
    s->virtio.core = s->core;
    s->place = peerpath_place_new(pci, &listener);

    memory_region_init_io(&s->registers, OBJECT(s), &registers_ops, s, "peerpath-gpu-registers", PP_GPU_REGISTERS);
    pci_register_bar(pci, layout->registers, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->registers);
    pci_register_bar(pci, layout->vram, memory64, s->vram);
    proxy->modern_mem_bar_idx = layout->virtio;
    proxy->msix_bar_idx = layout->msix;
    if (proxy->nvectors == DEV_NVECTORS_UNSPECIFIED || proxy->nvectors == 0) {
        proxy->nvectors = VECTORS;
    }
    virtio_pci_add_shm_cap(proxy, layout->vram, 0, s->vram_size, VIRTIO_GPU_SHM_ID_HOST_VISIBLE);
    virtio_pci_force_virtio_1(proxy);
    qdev_realize(DEVICE(&s->virtio), BUS(&proxy->bus), errp);
}

static PCIUnregisterFunc *virtio_exit;

static void gpu_exit(PCIDevice *pci)
{
    PeerpathGpu *s = PEERPATH_GPU(pci);

    peerpath_keep_for_now(OBJECT(s));
    peerpath_place_close(s->place);
    if (!s->memdev) {
        vmstate_unregister_ram(s->vram, DEVICE(s)); /* another device in the slot may come before this one is gone */
    }
    virtio_exit(pci);
}

static void gpu_finalize(Object *object)
{
    PeerpathGpu *s = PEERPATH_GPU(object);

    if (s->memdev && s->vram) {
        host_memory_backend_set_mapped(s->memdev, false);
        peerpath_dma_bar(s->vram, NULL);
    }
    pp_gpu_free(s->core);
    peerpath_place_free(s->place);
}

static ResettablePhases virtio_phases;

static void gpu_reset_hold(Object *object, ResetType type)
{
    PeerpathGpu *s = PEERPATH_GPU(object);

    if (virtio_phases.hold) {
        virtio_phases.hold(object, type);
    }
    if (s->place) {
        peerpath_fabric_forget(s->place);
        pp_gpu_reset(s->core);
    }
}

static char *get_counters(Object *object, Error **errp)
{
    struct pp_gpu_counters c = {0};

    if (PEERPATH_GPU(object)->core) {
        pp_gpu_count(PEERPATH_GPU(object)->core, &c);
    }
    return g_strdup_printf("{\"copies\": %" PRIu64 ", \"failed_copies\": %" PRIu64 ", \"bad_doorbells\": %" PRIu64
                           ", \"commands\": %" PRIu64 ", \"refused_commands\": %" PRIu64 ", \"faults\": %" PRIu64 "}",
                           c.copies, c.failed_copies, c.bad_doorbells, c.commands, c.refused_commands, c.faults);
}

static const Property gpu_properties[] = {
    DEFINE_PROP_SIZE("vram-size", PeerpathGpu, vram_size, 256 * MiB),
    DEFINE_PROP_LINK("memdev", PeerpathGpu, memdev, TYPE_MEMORY_BACKEND, HostMemoryBackend *),
    DEFINE_PROP_STRING("layout", PeerpathGpu, layout),
    DEFINE_PROP_STRING("ledger", PeerpathGpu, ledger_file),
    DEFINE_PROP_STRING("trace", PeerpathGpu, trace_file),
};

/* Neither VRAM's contents nor the core's state are saved. */
static const VMStateDescription gpu_state = {.name = "peerpath-gpu", .unmigratable = 1};

static void gpu_class_init(ObjectClass *class, peerpath_class_data *data)
{
    DeviceClass *device = DEVICE_CLASS(class);
    PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

    VIRTIO_PCI_CLASS(class)->realize = gpu_realize;
    resettable_class_set_parent_phases(RESETTABLE_CLASS(class), NULL, gpu_reset_hold, NULL, &virtio_phases);
    virtio_exit = pci->exit;
    pci->exit = gpu_exit;
    pci->class_id = PCI_CLASS_DISPLAY_OTHER;
    device->vmsd = &gpu_state;
    device->desc = "peerpath GPU (virtio-gpu with VRAM in a BAR, copy engines)";
    set_bit(DEVICE_CATEGORY_DISPLAY, device->categories);
    device_class_set_props(device, gpu_properties);
    object_class_property_add_str(class, "counters", get_counters, NULL);
    peerpath_ledger_class_init(class);
}

static void gpu_instance_init(Object *object)
{
    PeerpathGpu *s = PEERPATH_GPU(object);

    virtio_instance_init_common(object, &s->virtio, sizeof(s->virtio), TYPE_PEERPATH_GPU_VIRTIO);
}

static const TypeInfo virtio_type = {
    .name = TYPE_PEERPATH_GPU_VIRTIO,
    .parent = TYPE_VIRTIO_DEVICE,
    .instance_size = sizeof(PeerpathGpuVirtio),
    .class_init = virtio_class_init,
};

static const VirtioPCIDeviceTypeInfo gpu_type = {
    .base_name = TYPE_PEERPATH_GPU,
    .generic_name = "peerpath-gpu",
    .instance_size = sizeof(PeerpathGpu),
    .instance_init = gpu_instance_init,
    .instance_finalize = gpu_finalize,
    .class_init = gpu_class_init,
};

static void peerpath_gpu_register(void)
{
    type_register_static(&virtio_type);
    virtio_pci_types_register(&gpu_type);
}
type_init(peerpath_gpu_register)
