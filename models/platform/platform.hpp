// The devices of a scenario, bound and set up.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/gpu/platform.hpp"
#include "devices/host_cpu/platform.hpp"
#include "devices/host_memory/platform.hpp"
#include "devices/nic/platform.hpp"
#include "devices/pcie_switch/platform.hpp"
#include "devices/root_complex/platform.hpp"
#include "observe/ledger.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

/// The devices of a scenario, by their names, and the links between them.
class Platform {
 public:
  Platform(const scenario::Scenario& scenario, fabric::Mode mode);
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  Domain domain;

  /// The device of this name; there has to be one.
  Device& device(const std::string& name) const;
  fabric::NodeId node(const std::string& name) const { return device(name).node(); }
  /// All devices, by name.
  const std::map<std::string, std::unique_ptr<Device>>& devices() const { return devices_; }
  /// The device of this name if it is of this kind, else nullptr.
  template <class Kind>
  Kind* find(const std::string& name) const {
    const auto found = devices_.find(name);
    return found == devices_.end() ? nullptr : dynamic_cast<Kind*>(found->second.get());
  }
  /// All devices of a kind, in the order of their names.
  template <class Kind>
  std::vector<std::pair<std::string, Kind*>> all() const {
    std::vector<std::pair<std::string, Kind*>> found;
    for (const auto& [name, device] : devices_)
      if (auto* one = dynamic_cast<Kind*>(device.get())) found.emplace_back(name, one);
    return found;
  }
  /// The cores that stand at the memory of this name; nullptr if none do.
  HostCpu* cpu_of(const std::string& memory) const;
  /// The memory that holds the rings of a NIC: that of its traffic, else that of its socket, else any of its host.
  HostMemory& rings_of(const scenario::Scenario& scenario, const std::string& nic) const;

  /// Joins two ports; `shape` is what results call the link, `farther` the device at the second port.
  void join(Port& nearer, Port& port, const LinkConfig& config, const std::string& shape, const std::string& farther);

  /// The link by whose farther end a device is; when the domain is built.
  fabric::LinkId link_above(const std::string& device) const;
  /// The direction of that link, towards the root complex or away from it.
  int direction(const std::string& device, bool up) const;
  /// The link between two sockets; when the domain is built.
  fabric::LinkId crossing(const scenario::InterSocket& link) const {
    return domain.link_of(port_towards(link.from, link.to));
  }
  /// The link above a device has trained to this shape.
  void retrain(fabric::Fabric& fabric, const std::string& device, pcie::LinkShape shape) const;
  /// Gives a router an endpoint that answers with `status` whatever is routed to it; before the domain is built.
  fabric::LinkId add_trap(const std::string& bridge, pcie::Status status);
  /// That endpoint of a router, if it has one.
  std::optional<fabric::LinkId> trap_of(const std::string& bridge, pcie::Status status) const;

  /// By link of the fabric; when the domain is built.
  std::vector<observe::LinkLabel> labels() const;

 private:
  struct Joint {
    const Port* nearer = nullptr;
    std::string shape;
    std::string farther;
  };
  const Joint& joint_above(const std::string& device) const;
  void add_link(const scenario::Link& link, std::uint32_t number);
  void join_sockets(const scenario::Scenario& scenario);
  const Port& port_towards(const std::string& router, const std::string& other) const;

  std::map<std::string, std::unique_ptr<Device>> devices_;
  std::vector<Joint> joints_;
  std::map<std::pair<std::string, pcie::Status>, fabric::LinkId> traps_;  ///< by router and answer
};

/// How many links end at a device.
int links_at(const scenario::Scenario& scenario, const std::string& device);

}  // namespace peerpath::platform
