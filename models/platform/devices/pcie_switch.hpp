// A PCIe switch of a platform.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peerpath/device/config.hpp"
#include "platform/domain.hpp"

namespace peerpath::platform {

/// `count` ports of a router, in the domain's order.
std::vector<std::unique_ptr<Port>> make_ports(Domain& domain, fabric::NodeId node, int count);

/// A PCIe switch, or one level of it: routes between any of its ports. Port 0 is the upstream one by custom.
class PcieSwitch {
 public:
  PcieSwitch(const std::string& name, Domain& domain, int ports, const device::SwitchConfig& config = {});
  fabric::NodeId node() const { return node_; }
  Port& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }

 private:
  fabric::NodeId node_;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace peerpath::platform
