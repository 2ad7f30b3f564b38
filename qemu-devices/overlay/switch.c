/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peerpath-switch-upstream and -downstream: QEMU's XIO3130 ports with what a data centre's switch has beyond them, an
 * ACS capability in each downstream port. Requests between peers are routed by dma.c, which asks these registers.
 */
#include "compat.h"
#include "qapi/visitor.h"
#include "route.h"

#define TYPE_PEERPATH_UPSTREAM "peerpath-switch-upstream"
#define TYPE_PEERPATH_DOWNSTREAM "peerpath-switch-downstream"

enum { ACS_OFFSET = 0x180 }; /* behind AER, which is at 0x100 */

typedef struct PeerpathDownstreamClass {
    PCIDeviceClass parent_class;
    void (*parent_realize)(PCIDevice *device, Error **errp);
    ResettablePhases parent_phases;
} PeerpathDownstreamClass;
DECLARE_CLASS_CHECKERS(PeerpathDownstreamClass, PEERPATH_DOWNSTREAM, TYPE_PEERPATH_DOWNSTREAM)

static void downstream_realize(PCIDevice *device, Error **errp)
{
    ERRP_GUARD();

    if (!peerpath_route_fits(device, errp)) {
        return;
    }
    PEERPATH_DOWNSTREAM_GET_CLASS(device)->parent_realize(device, errp);
    if (!*errp) {
        pcie_acs_init(device, ACS_OFFSET);
    }
}

static void downstream_reset(Object *object, ResetType type)
{
    PeerpathDownstreamClass *own = PEERPATH_DOWNSTREAM_GET_CLASS(object);

    if (own->parent_phases.hold) {
        own->parent_phases.hold(object, type);
    }
    pcie_acs_reset(PCI_DEVICE(object));
}

/* The ACS control register, for whoever changes it behind the guest's back. */

static uint8_t *acs_control(Object *object)
{
    PCIDevice *device = PCI_DEVICE(object);

    return device->exp.acs_cap ? device->config + device->exp.acs_cap + PCI_ACS_CTRL : NULL;
}

static void get_acs(Object *object, Visitor *v, const char *name, void *opaque, Error **errp)
{
    uint8_t *at = acs_control(object);
    uint16_t value = at ? pci_get_word(at) : 0;

    visit_type_uint16(v, name, &value, errp);
}

static void set_acs(Object *object, Visitor *v, const char *name, void *opaque, Error **errp)
{
    const uint16_t known = PCI_ACS_SV | PCI_ACS_TB | PCI_ACS_RR | PCI_ACS_CR | PCI_ACS_UF | PCI_ACS_DT;
    uint8_t *at = acs_control(object);
    uint16_t value;

    if (!visit_type_uint16(v, name, &value, errp)) {
        return;
    }
    if (!at || value & ~known) {
        error_setg(errp, "acs-control takes bits 0x%x of a port that is plugged in; it was given 0x%x", known, value);
        return;
    }
    pci_set_word(at, value);
}

static void downstream_class_init(ObjectClass *class, peerpath_class_data *data)
{
    DeviceClass *device = DEVICE_CLASS(class);
    PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);
    PeerpathDownstreamClass *own = PEERPATH_DOWNSTREAM_CLASS(class);

    own->parent_realize = pci->realize;
    pci->realize = downstream_realize;
    resettable_class_set_parent_phases(RESETTABLE_CLASS(class), NULL, downstream_reset, NULL, &own->parent_phases);
    device->desc = "downstream port of peerpath's PCIe switch, with ACS";
    object_class_property_add(class, "acs-control", "uint16", get_acs, set_acs, NULL, NULL);
}

static void upstream_class_init(ObjectClass *class, peerpath_class_data *data)
{
    DEVICE_CLASS(class)->desc = "upstream port of peerpath's PCIe switch";
}

static const TypeInfo types[] = {
    {
        .name = TYPE_PEERPATH_UPSTREAM,
        .parent = "x3130-upstream",
        .class_init = upstream_class_init,
    },
    {
        .name = TYPE_PEERPATH_DOWNSTREAM,
        .parent = "xio3130-downstream",
        .class_size = sizeof(PeerpathDownstreamClass),
        .class_init = downstream_class_init,
    },
};
DEFINE_TYPES(types)
