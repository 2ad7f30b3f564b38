// `lstopo --of xml`: hwloc's tree of a machine, with its PCI bridges and devices.
//
// hwloc 1 and 2 spell bridges and devices alike: bridge_type "0-1" is a host bridge, "1-1" a PCI bridge; pci_busid,
// pci_type (class code and IDs) and pci_link_speed (GB/s of payload in one direction, 0: hidden).
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/machine.hpp"
#include "validation/import/xml.hpp"

namespace peerpath::import {

/// Packages are sockets. A link is known by its bandwidth alone: 15.75 GB/s may be Gen3 x16 or Gen4 x8; the most lanes
/// are assumed, and the preset says so. Problems: no GPU or NIC (lstopo --no-io), an element that cannot be read.
tl::expected<Machine, Problems> parse_hwloc(const Xml& xml, const std::string& file);

}  // namespace peerpath::import
