// A PCIe switch of a platform.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/pcie_switch/config.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class Platform;

/// `count` ports of a router, in the domain's order.
std::vector<std::unique_ptr<Port>> make_ports(Domain& domain, fabric::NodeId node, int count);

/// A PCIe switch, or one level of it: routes between any of its ports. Port 0 is the upstream one by custom.
class PcieSwitch final : public Device {
 public:
  PcieSwitch(const std::string& name, Domain& domain, int ports, const device::SwitchConfig& config = {});
  Port& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }
  Port& take_port(bool upstream) override { return port(upstream ? 0 : ++taken_); }

 private:
  std::vector<std::unique_ptr<Port>> ports_;
  int taken_ = 0;  ///< downstream ports that have links
};

}  // namespace peerpath::platform
