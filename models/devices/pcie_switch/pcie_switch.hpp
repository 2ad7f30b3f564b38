// A PCIe switch: one upstream port, downstream ports, cut-through between all of them. The model card is README.md
// beside this.
#pragma once

#include "core/pcie/function_registers.hpp"
#include "devices/pcie_switch/config.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::pcie_switch {

/// How the fabric is to simulate it.
fabric::Router router(const device::SwitchConfig& config);

/// Its ports as software finds them: PCI-to-PCI bridges; downstream ports have all ACS controls.
pcie::FunctionIdentity upstream_port(const device::SwitchConfig& config, pcie::LinkShape link);
pcie::FunctionIdentity downstream_port(const device::SwitchConfig& config, int number, pcie::LinkShape link);

}  // namespace peerpath::pcie_switch
