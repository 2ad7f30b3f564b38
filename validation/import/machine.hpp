// What a dump that names no payload sizes says of a machine: its GPUs and NICs, and what stands above them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peerpath/base/units.hpp"
#include "peerpath/pcie/link_shape.hpp"
#include "validation/import/preset.hpp"

namespace peerpath::import {

/// A switch or an endpoint. It stands below the switch `above`, or at the root complex.
struct Part {
  std::string name;  ///< in the scenario: "gpu0", "nic3", "switch1"
  std::string kind;  ///< "gpu", "nic" or "pcie_switch"
  int above = -1;    ///< index of a switch that comes before it; -1: at the root complex
  int socket = 0;
  int host_bridge = 0;  ///< of those of its socket, for parts at a root complex
  std::optional<pcie::LinkShape> link{};
  std::optional<BitRate> wire_rate{};  ///< of a NIC's port
  std::string address{};               ///< of its PCI function, as in the dump; "" if the dump does not say
  std::string assumed{};               ///< what is assumed of its place or link; "": the dump says both
};

/// A larger machine is refused: buses of a PCIe domain end at 256.
inline constexpr std::size_t most_parts = 200;

struct Machine {
  std::string description, source;
  int sockets = 1;
  std::string cpu_vendor;  ///< as CPUID spells it; "" if the dump does not say
  std::vector<Part> parts;
  std::vector<std::string> notes;
};

/// A scenario without traffic. Two sockets are two root complexes, joined by the links that processors of the vendor
/// have (assumed, and said so); more than two NUMA nodes share one, each as a host bridge of its own. The last parts of
/// a router that has no ports for them are left out, and named.
Preset to_preset(const Machine& machine);

}  // namespace peerpath::import
