#include <map>

#include "scenario/check/check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

/// Who a metric's name before the first dot would mean.
class MetricOwners {
 public:
  explicit MetricOwners(Problems& out) : out_{out} {}

  void take(const std::string& key, const std::string& name, const std::string& what) {
    const auto [first, is_new] = taken_.try_emplace(name, what);
    if (!is_new && first->second != what)
      out_.push_back({"", 0, 0, key,
                      "metrics of " + what + " would be called \"" + name + "\", as those of " + first->second +
                          "; rename a device or traffic"});
  }

 private:
  Problems& out_;
  std::map<std::string, std::string> taken_{{"run", "the run"}};
};

}  // namespace

void check_names(const Scenario& scenario, const Tree& tree, Problems& out) {
  MetricOwners names{out};
  for (const Device& device : scenario.devices)
    names.take(join("/devices", device.name), device.name, "the device " + device.name);
  const auto take_link = [&](const std::string& key, const std::string& farther, const std::string& nearer) {
    names.take(key, farther + "-" + nearer, "the link from " + farther + " to " + nearer);
  };
  for (const auto& memory : tree.all<device::HostMemoryConfig>())
    for (const auto& root : tree.all<device::RootComplexConfig>()) take_link(join("/devices", memory), memory, root);
  for (std::size_t i = 0; i < scenario.inter_socket.size(); ++i)
    take_link(join("/inter_socket", i), scenario.inter_socket[i].to, scenario.inter_socket[i].from);
  for (std::size_t i = 0; i < scenario.links.size(); ++i)
    take_link(join("/links", i), split_end(scenario.links[i].to).device, split_end(scenario.links[i].from).device);
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i)  // others of its name, and devices, have been named already
    if (const auto& name = scenario.traffic[i].name; tree.find(name) == nullptr)
      names.take(join("/traffic", i) + "/name", name, "the traffic " + name);
}

}  // namespace peerpath::scenario
