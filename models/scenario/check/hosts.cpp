#include <algorithm>
#include <map>
#include <set>

#include "peerpath/scenario/describe.hpp"
#include "scenario/check/check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

template <class Config>
const Config* the_config(const Tree& tree, const std::string& name) {
  const Device* device = tree.find(name);
  return device == nullptr ? nullptr : std::get_if<Config>(&device->config);
}

class Hosts {
 public:
  Hosts(const Scenario& scenario, const Tree& tree, Problems& out) : scenario_{scenario}, tree_{tree}, out_{out} {}

  void check() {
    for (std::size_t i = 0; i < scenario_.inter_socket.size(); ++i) check_socket(i);
    check_joined();
    for (std::size_t i = 0; i < scenario_.links.size(); ++i) check_link(i);
    for (std::size_t i = 0; i < scenario_.cables.size(); ++i) check_cable(i);
    for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) check_traffic(i);
  }

 private:
  void add(std::string key, std::string message) { out_.push_back({"", 0, 0, std::move(key), std::move(message)}); }

  /// Whether `name` is a device with `Config`; else with a problem.
  template <class Config>
  bool is_end(const std::string& key, const std::string& name, const std::string& wanted) {
    const Device* device = tree_.find(name);
    if (device == nullptr)
      add(key, no_device(tree_, name));
    else if (!std::holds_alternative<Config>(device->config))
      add(key, what_is(*device) + ", not a " + wanted);
    else
      return true;
    return false;
  }

  const std::string& group_of(const std::string& root) {
    const auto [found, is_new] = joined_.try_emplace(root, root);
    return is_new || found->second == root ? found->second : group_of(found->second);
  }

  void check_socket(std::size_t i) {
    const auto& link = scenario_.inter_socket[i];
    const auto at = join("/inter_socket", i);
    const bool from = is_end<device::RootComplexConfig>(at + "/from", link.from, "root_complex");
    const bool to = is_end<device::RootComplexConfig>(at + "/to", link.to, "root_complex");
    if (link.rate == BitRate{}) add(at + "/rate", "is missing; presets such as hardware/upi_10400.json set it");
    for (const auto& [key, rate] :
         {std::pair{"/peer_write_rate", link.peer_write_rate}, {"/peer_read_rate", link.peer_read_rate}})
      if (rate && !link.forwards_peers) add(at + key, "has no effect: forwards_peers is false");
    if (!from || !to) return;
    if (host_of(link.from) != host_of(link.to))
      return add(at, link.from + " and " + link.to + " are in different hosts; cables join those");
    if (link.from == link.to) return add(at, "joins " + link.from + " to itself");
    for (const auto& end : {link.from, link.to})
      if (!link.forwards_peers && tree_.standing_at<device::HostMemoryConfig>(end).empty())
        add(at + "/forwards_peers", "what " + end + " refuses is answered at its memory; needs a host_memory");
    const auto a = group_of(link.from), b = group_of(link.to);
    if (a == b)
      return add(at, "inter_socket links form a cycle: " + link.from + " and " + link.to +
                         " are already connected, and the model supports one path between any two devices");
    joined_[a] = b;
  }

  /// The root complexes of one host are its sockets.
  void check_joined() {
    std::map<std::string, std::string> firsts;
    for (const auto& root : tree_.all<device::RootComplexConfig>()) {
      const auto& first = firsts.try_emplace(host_of(root), root).first->second;
      if (group_of(first) != group_of(root))
        add(join("/devices", root),
            "is a second root_complex beside " + first +
                "; use \"inter_socket\" for the sockets of one host and \"hosts\" for separate hosts");
    }
  }

  void check_link(std::size_t i) {
    const auto from = split_end(scenario_.links[i].from).device, to = split_end(scenario_.links[i].to).device;
    if (tree_.find(from) != nullptr && tree_.find(to) != nullptr && host_of(from) != host_of(to))
      add(join("/links", i), from + " and " + to + " are in different hosts; PCIe ends at its host, cables join NICs");
  }

  void check_cable(std::size_t i) {
    const auto& cable = scenario_.cables[i];
    const auto at = join("/cables", i);
    const bool from = is_end<device::NicConfig>(at + "/from", cable.from, "nic");
    const bool to = is_end<device::NicConfig>(at + "/to", cable.to, "nic");
    if (from && to && cable.from == cable.to) return add(at, "joins " + cable.from + " to itself");
    for (const auto& [key, end] : {std::pair{"/from", cable.from}, {"/to", cable.to}}) {
      const auto* nic = the_config<device::NicConfig>(tree_, end);
      if (nic == nullptr) continue;
      if (const auto [other, is_free] = cables_.try_emplace(end, i); !is_free)
        add(at + key, end + " has a cable already, /cables/" + std::to_string(other->second) + "; a nic has one port");
      if (cable.rate && *cable.rate > nic->wire_rate)
        add(at + "/rate", to_text(*cable.rate) + " is above the wire rate of " + end + ", " + to_text(nic->wire_rate));
    }
  }

  void check_traffic(std::size_t i) {
    const Traffic& t = scenario_.traffic[i];
    if (tree_.find(t.from) == nullptr || tree_.find(t.to) == nullptr || host_of(t.from) == host_of(t.to)) return;
    add(join("/traffic", i) + "/to",
        t.to + " is in another host than " + t.from +
            "; PCIe does not leave a host: send with a transmit entry and receive on the other host");
  }

  const Scenario& scenario_;
  const Tree& tree_;
  Problems& out_;
  std::map<std::string, std::string> joined_;  ///< root complexes: the one that stands for it (Galler and Fischer)
  std::map<std::string, std::size_t> cables_;  ///< by NIC
};

}  // namespace

void check_hosts(const Scenario& scenario, const Tree& tree, Problems& out) { Hosts{scenario, tree, out}.check(); }

}  // namespace peerpath::scenario
