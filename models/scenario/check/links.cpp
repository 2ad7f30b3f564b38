#include <algorithm>
#include <set>

#include "scenario/catalogue.hpp"
#include "scenario/check/check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

constexpr std::array lanes{1, 2, 4, 8, 12, 16};
constexpr std::size_t most_ports = 20;  // of a router in the fabric, besides the one towards the root or the memory
constexpr Bytes data_credit{16};        // PCIe Base Spec 2.6.1: one unit is 4 DW

bool stands_at_root(const Device& device) { return role_of(device) == device::Role::at_root; }
bool is_root(const Device& device) { return role_of(device) == device::Role::root_complex; }

class Links {
 public:
  Links(const Scenario& scenario, const Tree& tree, Problems& out) : scenario_{scenario}, tree_{tree}, out_{out} {}

  void check(std::size_t i) {
    const Link& link = scenario_.links[i];
    const std::string at = join("/links", i);
    if (std::ranges::find(lanes, link.width) == lanes.end())
      add(at + "/width", std::to_string(link.width) + " lanes are not a PCIe link width; use 1, 2, 4, 8, 12 or 16");
    check_from(link, at);
    check_to(link, at, i);
    check_host_bridge(link, at);
    check_credits(link.credits, at + "/credits");
    if (link.vc1) check_channel(link, *link.vc1, at);
  }

  void check_ports() {
    for (const auto& [name, ports] : channels_)
      if (downstream_[name] + ports > most_ports)
        add("/links",
            name + " has more than " + std::to_string(most_ports) + " downstream ports (links with vc1 count twice)");
  }

  void check_cycles() {
    std::set<const Device*> seen;
    for (const Device& device : scenario_.devices) {
      const auto way = tree_.way_up(device.name);
      const auto link = way.empty() ? std::nullopt : tree_.uplink(way.back()->name);
      if (!link) continue;
      const Device* next = tree_.find(split_end(scenario_.links[*link].from).device);
      const auto start = std::ranges::find(way, next);
      if (next == nullptr || start == way.end() || seen.contains(next)) continue;
      seen.insert(start, way.end());
      if (way.end() - start == 1) continue;  // a link to itself has been said already
      std::string round;
      for (auto it = start; it != way.end(); ++it) round += (*it)->name + " -> ";
      add(join("/links", *tree_.uplink(next->name)),
          "links form a cycle: " + round + next->name + "; a PCIe domain is a tree below its root complex");
    }
  }

 private:
  void add(std::string key, std::string message) { out_.push_back({"", 0, 0, std::move(key), std::move(message)}); }

  void check_from(const Link& link, const std::string& at) {
    const auto [name, port] = split_end(link.from);
    const Device* device = tree_.find(name);
    if (device == nullptr) return add(at + "/from", no_device(tree_, name));
    if (stands_at_root(*device))
      return add(at + "/from", what_is(*device) + ": it belongs to a root complex by its \"at\", not to a link");
    if (!has_ports(*device))
      return add(at + "/from", what_is(*device) + "; the upstream end is a port of a root_complex or pcie_switch");
    take_port(link.from, port, link.to, at + "/from");
    if (++downstream_[name] == most_ports + 1)
      add(at + "/from", name + " has more than " + std::to_string(most_ports) + " downstream ports");
  }

  void check_to(const Link& link, const std::string& at, std::size_t i) {
    const auto [name, port] = split_end(link.to);
    const Device* device = tree_.find(name);
    if (device == nullptr) return add(at + "/to", no_device(tree_, name));
    if (stands_at_root(*device))
      return add(at + "/to", what_is(*device) + ": it belongs to a root complex by its \"at\", not to a link");
    if (is_root(*device))
      return add(at + "/to", what_is(*device) + " and has no upstream port; are \"from\" and \"to\" swapped?");
    if (name == split_end(link.from).device) return add(at, "links " + name + " to itself");
    if (!port.empty() && role_of(*device) != device::Role::router)
      return add(at + "/to", what_is(*device) + " and has a single unnamed port; write \"" + name + "\"");
    if (const auto first = *tree_.uplink(name); first != i)
      add(at + "/to", name + " already has an upstream link, /links/" + std::to_string(first));
    else if (!port.empty())
      take_port(link.to, port, link.from, at + "/to");
  }

  void check_host_bridge(const Link& link, const std::string& at) {
    const Device* device = tree_.find(split_end(link.from).device);
    if (link.host_bridge == 0 || device == nullptr || is_root(*device)) return;
    add(at + "/host_bridge", what_is(*device) + "; set host_bridge on the link from the root_complex");
  }

  void take_port(const std::string& end, const std::string& port, const std::string& peer, std::string key) {
    if (end.ends_with('.')) return add(std::move(key), "\"" + end + "\" names no port after its dot");
    if (port.empty()) return;
    const auto [taken, is_free] = ports_.try_emplace(end, peer);
    if (!is_free)
      add(std::move(key), "port " + end + " has a link to " + taken->second + " already; a port has one link");
  }

  // A TLP larger than all the buffer there is would wait forever (PCIe Base Spec 2.6.1: minimum advertisements).
  void check_credits(const CreditConfig& credits, const std::string& at) {
    Bytes largest{};
    for (const Device& device : scenario_.devices)
      if (const auto* function = function_of(device)) largest = std::max(largest, function->max_payload);
    const auto hold = [&](std::string_view key, int units) {
      if (units == 0 || data_credit * units >= largest) return;
      add(at + "/" + std::string{key}, std::to_string(units) + " units of 16 B cannot hold a TLP of " +
                                           std::to_string(largest.count()) + " B, the largest max_payload here");
    };
    hold("posted_data", credits.posted_data);
    if (credits.non_posted_data == 1 || credits.non_posted_data == 2)
      add(at + "/non_posted_data",
          std::to_string(credits.non_posted_data) +
              " units of 16 B cannot hold an atomic operation, which needs up to 3; 0 is infinite");
    hold("completion_data", credits.completion_data);
  }

  void check_channel(const Link& link, const VirtualChannelConfig& vc1, const std::string& at) {
    for (std::size_t i = 0; i < vc1.traffic_classes.size(); ++i)
      if (vc1.traffic_classes[i] < 1 || vc1.traffic_classes[i] > 7)
        add(join(at + "/vc1/traffic_classes", i),
            std::to_string(vc1.traffic_classes[i]) + " is not in the range 1 to 7; class 0 always uses VC 0");
    if ((vc1.vc0_turns == 0) != (vc1.vc1_turns == 0))
      add(at + (vc1.vc0_turns == 0 ? "/vc1/vc0_turns" : "/vc1/vc1_turns"),
          "0 for one channel only; set both (weighted arbitration) or neither (strict priority)");
    check_credits(vc1.credits, at + "/vc1/credits");
    for (const std::string& end : {link.from, link.to}) {
      const Device* device = tree_.find(split_end(end).device);
      if (device == nullptr) continue;
      if (has_ports(*device)) ++channels_[device->name];
      if (const auto* function = function_of(*device); function != nullptr && function->one_queue > 0)
        add(at + "/vc1", device->name + " has one receive queue (one_queue) and supports one virtual channel");
    }
  }

  const Scenario& scenario_;
  const Tree& tree_;
  Problems& out_;
  std::map<std::string, std::size_t> channels_;  ///< links with two virtual channels, by router
  std::map<std::string, std::string> ports_;
  std::map<std::string, std::size_t> downstream_;
};

}  // namespace

void check_links(const Scenario& scenario, const Tree& tree, Problems& out) {
  Links links{scenario, tree, out};
  for (std::size_t i = 0; i < scenario.links.size(); ++i) links.check(i);
  links.check_ports();
  links.check_cycles();
}

}  // namespace peerpath::scenario
