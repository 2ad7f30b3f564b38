// A PCIe switch: one upstream port, downstream ports, cut-through between all of them. The model card is README.md
// beside this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/pcie/function_registers.hpp"
#include "devices/pcie_switch/config.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::pcie_switch {

/// How the fabric is to simulate it.
fabric::Router router(const device::SwitchConfig& config);

/// The functions of a switch in a tree of functions.
struct Ports {
  int upstream = 0;             ///< index in the tree
  std::vector<int> downstream;  ///< likewise; parents of what is plugged into them
};

/// Adds a switch to a tree of functions, below `parent` (a root port, or a downstream port of another switch). Ports
/// are called "<name>.up", "<name>.down0" and so on.
Ports add_functions(std::vector<pcie::Function>& tree, std::string_view name, int parent, int downstream_ports);

/// Its ports as software finds them: PCI-to-PCI bridges; downstream ports have all ACS controls.
pcie::FunctionIdentity upstream_port(const device::SwitchConfig& config, pcie::LinkShape link);
pcie::FunctionIdentity downstream_port(const device::SwitchConfig& config, int number, pcie::LinkShape link);

}  // namespace peerpath::pcie_switch
