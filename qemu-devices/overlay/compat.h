/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one file that knows in what QEMU's versions (10.0 to 11.x) differ. */
#ifndef PEERPATH_COMPAT_H
#define PEERPATH_COMPAT_H

#include "qemu/osdep.h"

#define PEERPATH_QEMU_AT_LEAST(major, minor) \
    (QEMU_VERSION_MAJOR > (major) || (QEMU_VERSION_MAJOR == (major) && QEMU_VERSION_MINOR >= (minor)))

#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bridge.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_device.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_port.h"
#if __has_include("hw/core/qdev-properties.h") /* 11.0 moved these */
#include "hw/core/qdev-properties.h"
#else
#include "hw/qdev-properties.h"
#endif
#if __has_include("system/address-spaces.h") /* 10.2 moved it */
#include "system/address-spaces.h"
#else
#include "exec/address-spaces.h"
#endif
#include "system/dma.h"
#include "system/hostmem.h"

#if PEERPATH_QEMU_AT_LEAST(10, 1)
typedef const void peerpath_class_data;
typedef const InterfaceInfo peerpath_interface;
#else
typedef void peerpath_class_data;
typedef InterfaceInfo peerpath_interface;
#endif

#endif
