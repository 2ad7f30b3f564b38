// Trees of PCI functions in which nothing says which bridge is a root port and which one a port of a switch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validation/import/machine.hpp"

namespace peerpath::import {

/// A bridge or an endpoint, in the order of the dump: a bridge comes before those below it.
struct PciNode {
  std::string address;  ///< "0000:3b:00.0"
  int above = -1;       ///< index of the bridge above; -1: on a root bus
  bool is_bridge = false;
  std::string kind{};   ///< of an endpoint: "gpu", "nic"; "" for one that a preset leaves out
  std::string title{};  ///< of an endpoint, as the dump calls it
  int socket = 0, host_bridge = 0;
  std::optional<pcie::LinkShape> link{};
  std::string assumed{};  ///< of the link
};

/// Adds the GPUs and NICs, and the switches above them, to the machine. By the order of PCIe a bridge on a root bus is
/// a root port, one below it the upstream port of a switch, the next a downstream port, and so on. A switch without GPU
/// or NIC below it is left out; of a device with several functions the first one counts.
void add_parts(const std::vector<PciNode>& nodes, Machine& machine);

/// What a preset makes of a class code: 02xx is a NIC, 03xx a GPU, all else "".
std::string kind_of_class(std::string_view code);

}  // namespace peerpath::import
