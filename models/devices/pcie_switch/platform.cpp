#include "devices/pcie_switch/platform.hpp"

#include "devices/pcie_switch/kind.hpp"
#include "devices/pcie_switch/pcie_switch.hpp"
#include "platform/platform.hpp"

namespace peerpath::platform {

std::vector<std::unique_ptr<Port>> make_ports(Domain& domain, fabric::NodeId node, int count) {
  std::vector<std::unique_ptr<Port>> ports;
  for (int i = 0; i < count; ++i) domain.add_port(*ports.emplace_back(std::make_unique<Port>(node)));
  return ports;
}

PcieSwitch::PcieSwitch(const std::string& name, Domain& domain, int ports, const device::SwitchConfig& config)
    : Device{domain.add_router(name, pcie_switch::router(config))}, ports_{make_ports(domain, node(), ports)} {}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::SwitchConfig>::make(const std::string& name,
                                                                           const SwitchConfig& config,
                                                                           const scenario::Scenario& scenario,
                                                                           platform::Platform& platform) {
  return std::make_unique<platform::PcieSwitch>(name, platform.domain, platform::links_at(scenario, name), config);
}

}  // namespace peerpath
