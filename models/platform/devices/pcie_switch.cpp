#include "platform/devices/pcie_switch.hpp"

#include "core/devices/pcie_switch/pcie_switch.hpp"

namespace peerpath::platform {

std::vector<std::unique_ptr<Port>> make_ports(Domain& domain, fabric::NodeId node, int count) {
  std::vector<std::unique_ptr<Port>> ports;
  for (int i = 0; i < count; ++i) domain.add_port(*ports.emplace_back(std::make_unique<Port>(node)));
  return ports;
}

PcieSwitch::PcieSwitch(const std::string& name, Domain& domain, int ports, const device::SwitchConfig& config)
    : node_{domain.add_router(name, pcie_switch::router(config))}, ports_{make_ports(domain, node_, ports)} {}

}  // namespace peerpath::platform
