#include "study/network/suspects.hpp"

#include <algorithm>
#include <type_traits>

#include "peerpath/scenario/describe.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::study {
namespace {

using network_scenario::Loaded;

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return std::to_string(value);
  else
    return scenario::to_text(value);
}

template <class T>
T times(T value, bool doubled) {
  if constexpr (std::is_same_v<T, BitRate>)
    return BitRate{doubled ? value.bps() * 2 : value.bps() / 2};
  else if constexpr (std::is_same_v<T, Bytes>)
    return Bytes{doubled ? value.count() * 2 : value.count() / 2};
  else if constexpr (std::is_same_v<T, Duration>)
    return doubled ? value * 2 : value / 2;
  else
    return doubled ? value * 2 : std::max<T>(value / 2, 1);
}

/// Collects the resources of one scenario.
class NetworkResources {
 public:
  explicit NetworkResources(const Loaded& loaded) : loaded_{loaded}, s_{loaded.scenario} {}

  /// What a limit of the results is in the file.
  void of_limit(const std::string& limit);
  void cables();
  void switches();
  void transports();
  void hosts();

  std::vector<NetworkSuspect> all;

 private:
  void begin(const std::string& name) { all.push_back({name, {}, {}, {}}); }
  /// `inverse`: a time, half of which is more.
  template <class T>
  void change(const std::string& key, T value, bool inverse = false) {
    auto& suspect = all.back();
    suspect.keys.push_back(key);
    suspect.doubled.push_back(key + "=" + text_of(times(value, !inverse)));
    suspect.halved.push_back(key + "=" + text_of(times(value, inverse)));
  }
  template <class Entries, class Use>
  void with_entry(const std::string& limit, const std::string& beginning, const Entries& entries, const char* section,
                  const Use& use) {
    if (!limit.starts_with(beginning)) return;
    for (std::size_t n = 0; n < entries.size(); ++n)
      if (limit == beginning + entries[n].name) use(entries[n], std::string{section} + "." + std::to_string(n) + ".");
  }
  const network::CableShape* generated(std::string& key) const;
  void cable(const std::string& name);
  void cores();

  const Loaded& loaded_;
  const network_scenario::NetworkScenario& s_;
};

/// The cables of a network that is generated.
const network::CableShape* NetworkResources::generated(std::string& key) const {
  const auto& n = s_.network;
  key = n.clos ? "clos" : n.fat_tree ? "fat_tree" : n.rail_optimised ? "rail_optimised" : "dragonfly";
  key = "network." + key + ".cables.";
  if (n.clos) return &n.clos->cables;
  if (n.fat_tree) return &n.fat_tree->cables;
  if (n.rail_optimised) return &n.rail_optimised->cables;
  return n.dragonfly ? &n.dragonfly->cables : nullptr;
}

/// "leaf0 -> h1": the entry of `cables` that it is of, or the kind of cables of a generated network.
void NetworkResources::cable(const std::string& name) {
  const auto arrow = name.find(" -> ");
  const auto from = name.substr(0, arrow), to = name.substr(arrow + 4);
  std::string key;
  if (const auto* shape = generated(key)) {
    const auto is_host = [&](const std::string& node) {
      const auto found = std::ranges::find(loaded_.graph.nodes, node, &network::Node::name);
      return found != loaded_.graph.nodes.end() && found->is_host;
    };
    const bool host = is_host(from) || is_host(to);
    return change(key + (host ? "host_rate" : "fabric_rate"), host ? shape->host_rate : shape->fabric_rate);
  }
  const auto has = [](const std::string& names, const std::string& node) {
    const auto spelt = network_scenario::spelt_out({names});
    return std::ranges::find(spelt, node) != spelt.end();
  };
  const auto& cables = s_.network.cables;
  for (std::size_t n = 0; n < cables.size(); ++n)
    if ((has(cables[n].from, from) && has(cables[n].to, to)) || (has(cables[n].from, to) && has(cables[n].to, from)))
      change("network.cables." + std::to_string(n) + ".rate", cables[n].rate);
}

void NetworkResources::cores() {
  change("tcp_hosts.packet_cost", s_.tcp_hosts.packet_cost, true);
  change("tcp_hosts.segment_cost", s_.tcp_hosts.segment_cost, true);
  change("tcp_hosts.syscall_cost", s_.tcp_hosts.syscall_cost, true);
}

void NetworkResources::of_limit(const std::string& limit) {
  begin(limit);
  if (limit.starts_with("cable ")) cable(limit.substr(6));
  if (limit.starts_with("buffer of ")) change("switches.buffer", s_.switches.buffer);
  if (limit.starts_with("host "))
    for (std::size_t n = 0; n < s_.slow_hosts.size(); ++n)
      if (const auto names = network_scenario::spelt_out(s_.slow_hosts[n].hosts);
          std::ranges::find(names, limit.substr(5)) != names.end())
        change("slow_hosts." + std::to_string(n) + ".rate", s_.slow_hosts[n].rate);
  if (limit == "window of the NICs") change("nics.window", s_.nics.window);
  if (limit == "congestion control") {
    change("switches.ecn_min", s_.switches.ecn_min);
    change("switches.ecn_max", s_.switches.ecn_max);
  }
  if (limit.starts_with("cores of hosts")) cores();
  if (limit == "links between GPUs") change("servers.nvlink", s_.servers.nvlink);
  if (limit == "NICs that receive") change("tcp_hosts.ring", s_.tcp_hosts.ring);
  with_entry(limit, "messages in flight of ", s_.rdma, "rdma",
             [&](const auto& entry, const std::string& at) { change(at + "outstanding", entry.outstanding); });
  with_entry(limit, "receive window of ", s_.tcp, "tcp", [&](const auto& entry, const std::string& at) {
    change("tcp_stack.receive_buffer", s_.tcp_stack.receive_buffer);
    if (entry.consumer.memory) change(at + "consumer.memory", *entry.consumer.memory);
    if (entry.consumer.rate > BitRate{}) change(at + "consumer.rate", entry.consumer.rate);
  });
  with_entry(limit, "congestion window of ", s_.tcp, "tcp",
             [&](const auto&, const std::string&) { change("tcp_stack.initial_window", s_.tcp_stack.initial_window); });
  with_entry(limit, "schedule of ", s_.collectives, "collectives",
             [&](const auto& entry, const std::string& at) { change(at + "slices", entry.slices); });
}

void NetworkResources::cables() {
  std::string key;
  if (const auto* shape = generated(key)) {
    begin("cables to hosts");
    change(key + "host_rate", shape->host_rate);
    begin("cables between switches");
    change(key + "fabric_rate", shape->fabric_rate);
  }
  const auto& cables = s_.network.cables;
  for (std::size_t n = 0; n < cables.size(); ++n) {
    begin("cables " + cables[n].from + " - " + cables[n].to);
    change("network.cables." + std::to_string(n) + ".rate", cables[n].rate);
  }
}

void NetworkResources::switches() {
  begin("buffer of switches");
  change("switches.buffer", s_.switches.buffer);
  if (s_.nics.dcqcn == roce::DcqcnSet::off) return;
  begin("ECN thresholds");
  change("switches.ecn_min", s_.switches.ecn_min);
  change("switches.ecn_max", s_.switches.ecn_max);
}

void NetworkResources::transports() {
  if (!s_.rdma.empty()) {
    begin("window of the NICs");
    change("nics.window", s_.nics.window);
  }
  for (std::size_t n = 0; n < s_.rdma.size(); ++n) {
    const auto at = "rdma." + std::to_string(n) + ".";
    if (s_.rdma[n].load > 0 || s_.rdma[n].interval > Duration{}) continue;
    begin("messages in flight of " + s_.rdma[n].name);
    change(at + "outstanding", s_.rdma[n].outstanding);
  }
  if (!s_.tcp.empty()) {
    begin("receive buffer");
    change("tcp_stack.receive_buffer", s_.tcp_stack.receive_buffer);
    begin("cores of hosts");
    cores();
  }
}

void NetworkResources::hosts() {
  for (std::size_t n = 0; n < s_.slow_hosts.size(); ++n) {
    begin("hosts " + (s_.slow_hosts[n].hosts.empty() ? "" : s_.slow_hosts[n].hosts.front()));
    change("slow_hosts." + std::to_string(n) + ".rate", s_.slow_hosts[n].rate);
  }
  if (s_.servers.gpus <= 1) return;
  begin("links between GPUs");
  change("servers.nvlink", s_.servers.nvlink);
}

}  // namespace

std::vector<NetworkSuspect> network_suspects(const Loaded& loaded, const network_run::Outcome& outcome,
                                             std::size_t most) {
  NetworkResources resources{loaded};
  for (const auto& limit : outcome.results.limits) resources.of_limit(limit.name);
  resources.cables();
  resources.switches();
  resources.transports();
  resources.hosts();
  std::vector<NetworkSuspect> suspects;
  for (auto& suspect : resources.all) {
    const bool known = suspect.keys.empty() || std::ranges::any_of(suspects, [&](const NetworkSuspect& other) {
                         return other.doubled == suspect.doubled;
                       });
    if (!known && suspects.size() < most) suspects.push_back(std::move(suspect));
  }
  return suspects;
}

}  // namespace peerpath::study
