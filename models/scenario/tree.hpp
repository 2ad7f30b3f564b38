// The devices of a scenario by name, and which device is below which.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// A link's end: "sw0.down1" is port "down1" of device "sw0".
struct End {
  std::string device;
  std::string port;  ///< "" if none is named
};
End split_end(std::string_view text);

/// Look-ups that every check needs. Holds on to the scenario.
class Tree {
 public:
  explicit Tree(const Scenario& scenario);

  const Device* find(std::string_view name) const;
  std::vector<std::string> names() const;
  /// The link whose farther end is `device`, if there is one; the first of several.
  std::optional<std::size_t> uplink(std::string_view device) const;
  /// Devices from `name` itself to the root complex; stops at a missing link and before going round.
  std::vector<const Device*> way_up(std::string_view name) const;
  /// The root complex of the socket that a device belongs to: itself, the end of its way up, or where it stands; "" if
  /// there is none.
  std::string root_of(std::string_view name) const;
  const device::RootComplexConfig* root_config(std::string_view name) const;
  /// The device with `Config` that stands at a root complex; "" if there is none.
  template <class Config>
  std::string standing_at(const std::string& root) const {
    for (const Device& device : scenario_.devices)
      if (const auto* config = std::get_if<Config>(&device.config); config != nullptr && config->at == root)
        return device.name;
    return {};
  }
  /// Names of devices that hold `Config`.
  template <class Config>
  std::vector<std::string> all() const {
    std::vector<std::string> found;
    for (const Device& device : scenario_.devices)
      if (std::holds_alternative<Config>(device.config)) found.push_back(device.name);
    return found;
  }
  /// Those of them that belong to one host.
  template <class Config>
  std::vector<std::string> all_of(const std::string& host) const {
    auto found = all<Config>();
    std::erase_if(found, [&](const std::string& name) { return host_of(name) != host; });
    return found;
  }

 private:
  const Scenario& scenario_;
  std::map<std::string, const Device*, std::less<>> devices_;
  std::map<std::string, std::size_t, std::less<>> uplinks_;
};

/// The PCIe function of a device, if it is an endpoint.
const device::FunctionConfig* function_of(const Device& device);

/// The rate of both ports of a cable.
BitRate rate_of(const Cable& cable, const Scenario& scenario);

/// "there is no device "nic9"; did you mean "nic0"?"
std::string no_device(const Tree& tree, const std::string& name);
/// "nic0 is a nic"
std::string what_is(const Device& device);

}  // namespace peerpath::scenario
