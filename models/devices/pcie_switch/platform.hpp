// A PCIe switch of a platform.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peerpath/device/config.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class Platform;

/// `count` ports of a router, in the domain's order.
std::vector<std::unique_ptr<Port>> make_ports(Domain& domain, fabric::NodeId node, int count);

/// A PCIe switch, or one level of it: routes between any of its ports. Port 0 is the upstream one by custom.
class PcieSwitch final : public Device {
 public:
  PcieSwitch(const std::string& name, Domain& domain, int ports, const device::SwitchConfig& config = {});
  static std::unique_ptr<Device> make(const std::string& name, const device::SwitchConfig& config,
                                      const scenario::Scenario& scenario, Platform& platform);
  Port& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }
  Port& take_port(bool upstream) override { return port(upstream ? 0 : ++taken_); }

 private:
  std::vector<std::unique_ptr<Port>> ports_;
  int taken_ = 0;  ///< downstream ports that have links
};

}  // namespace peerpath::platform
