// `lspci -vvv` dumps: functions with their links, payload sizes and place in the tree of bridges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/pcie/link_shape.hpp"

namespace peerpath::import {

/// A prefetchable memory BAR that no request can reach.
struct DeadRegion {
  int number = 0, line = 0;
  std::string why;            ///< "unassigned", "ignored" or "disabled", as lspci prints it
  std::optional<Bytes> size;  ///< lspci may not know it of one that is unassigned
};

/// What a dump says of one function. What it does not say (no permission, no such capability) is left out.
struct Function {
  int line = 0;  ///< of its heading
  int domain = 0, bus = 0, device = 0, function = 0;
  std::string kind;  ///< "Ethernet controller", "PCI bridge", ...
  std::string name;  ///< vendor and device as printed
  std::string port;  ///< "Root Port (Slot+)", "Upstream Port", "Endpoint", ...; "" without a PCIe capability
  std::optional<int> secondary, subordinate;  ///< buses below a bridge
  std::optional<pcie::LinkShape> link;        ///< LnkSta: as trained
  std::optional<pcie::LinkShape> link_capability;
  std::optional<Bytes> max_payload_supported, max_payload, max_read_request, rcb;
  std::optional<bool> extended_tag, ten_bit_tag, relaxed_ordering, no_snoop, ecrc_generation;
  std::optional<std::uint16_t> acs_control;  ///< bits of pcie::acs; none without the capability
  std::optional<Bytes> window;               ///< largest prefetchable memory BAR that has an address and is enabled
  std::optional<DeadRegion> dead_region;     ///< a prefetchable memory BAR larger than `window`, or of unknown size
  std::optional<int> numa_node, iommu_group;
  std::optional<int> vendor, device_id;  ///< from `-nn`, `-n`, or a name that is only a number

  std::string address() const;  ///< "0000:03:00.0"
};

/// All functions of a dump, in its order. Lines that lspci and its library print of their own (`pcilib: ...`) and the
/// bytes of the configuration space (`lspci -xxx`) are passed over. Problems: no function at all, an address or a
/// number that cannot be read, an address that is there twice, a bridge that leads to no higher bus, a function whose
/// text ends within a capability (truncated).
tl::expected<std::vector<Function>, Problems> parse_lspci(std::string_view text, const std::string& file);

/// The bridge right above a function, nullptr for one on a root bus.
const Function* parent(const std::vector<Function>& functions, const Function& function);

}  // namespace peerpath::import
