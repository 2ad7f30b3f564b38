// Whether Linux trusts a machine's host bridges to forward between root ports.
#pragma once

#include <vector>

#include "peerpath/pcie/routing.hpp"
#include "validation/import/lspci.hpp"

namespace peerpath::import {

/// The function by which the kernel knows a host bridge (pci_host_bridge_dev): the first one of the root bus, if it is
/// at 00.0 or a root port; else nullptr.
const Function* host_bridge_device(const std::vector<Function>& functions, int domain, int root_bus);

/// What the kernel makes of that function (pci_p2pdma_whitelist of Linux 7.3). AMD is listed by its CPUs, from family
/// 17h on; older ones are taken for that. Without IDs in the dump the name decides, as pci.ids spells it.
pcie::HostBridgeList host_trust(const Function* bridge);

}  // namespace peerpath::import
