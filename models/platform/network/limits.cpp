#include "platform/network/limits.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "peerpath/observe/finish.hpp"
#include "platform/network/cable_report.hpp"
#include "platform/network/ways.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {

using namespace network_scenario;
using observe::Decimal;
using observe::LimitResult;

namespace {

constexpr double full = 95;               // percent of the time
constexpr double nearly_all = 90;         // of the time of a collective, whose beginning and end take some
constexpr double noticed = 5;             // percent of the time that a port was paused
constexpr std::size_t most_pairs = 4096;  // of hosts of an entry whose ways are looked at

std::string spelled(double value) { return to_string(Decimal{static_cast<std::int64_t>(value * 10 + 0.5), 1}); }

/// Searches one outcome.
class LimitSearch {
 public:
  LimitSearch(const Loaded& loaded, const Outcome& out)
      : loaded_{loaded}, s_{loaded.scenario}, out_{out}, ways_{loaded.graph} {
    for (const auto& cable : out.cables) cables_.try_emplace(cable.name, &cable);  // of several alike the busiest
  }

  /// nullopt: what was offered got through.
  std::optional<LimitResult> of(const Rdma& entry);
  std::optional<LimitResult> of(const Tcp& entry);
  std::optional<LimitResult> of(const std::string& name, const std::vector<std::string>& hosts);

 private:
  using Ports = std::vector<network::PortIndex>;

  double value(const std::string& metric) const {
    const auto* found = observe::find_metric(out_.results, metric);
    return found == nullptr || !found->value ? 0 : found->value->value();
  }
  bool is_known(const std::string& metric) const {
    const auto* found = observe::find_metric(out_.results, metric);
    return found != nullptr && found->value;
  }
  const CableUse* use(network::PortIndex port) const {
    const auto found = cables_.find(loaded_.graph.name_of(port));
    return found == cables_.end() ? nullptr : found->second;
  }
  double busy(network::PortIndex port) const { return use(port) == nullptr ? 0 : use(port)->busy_percent.value(); }
  double paused(network::PortIndex port) const { return use(port) == nullptr ? 0 : use(port)->paused_percent.value(); }
  std::string name_of(network::NodeIndex node) const { return loaded_.graph.nodes[node].name; }
  network::NodeIndex behind(network::PortIndex port) const { return loaded_.graph.node_of(network::Graph::peer(port)); }
  bool ends_at_host(network::PortIndex port) const { return loaded_.graph.nodes[behind(port)].is_host; }

  Ports ways(const std::vector<std::string>& from, const std::vector<std::string>& to, bool all_to_all);
  std::optional<LimitResult> slow_host(const Ports& ports) const;
  std::optional<LimitResult> slow_rank(const std::vector<network::HostIndex>& ranks, double time) const;
  std::optional<LimitResult> full_cable(const Ports& ports) const;
  std::optional<LimitResult> losses(const Ports& ports) const;
  std::optional<LimitResult> marks(const Ports& ports) const;
  std::optional<LimitResult> pauses(const Ports& ports) const;
  bool arrives_in_full(const Rdma& entry, double pairs) const;
  LimitResult in_flight(const Rdma& entry) const;

  const Loaded& loaded_;
  const NetworkScenario& s_;
  const Outcome& out_;
  Ways ways_;
  std::map<std::string, const CableUse*> cables_;
};

LimitSearch::Ports LimitSearch::ways(const std::vector<std::string>& from, const std::vector<std::string>& to,
                                     bool all_to_all) {
  const auto sources = hosts_of(loaded_.graph, from), sinks = hosts_of(loaded_.graph, to);
  Ports ports;
  std::vector<bool> seen(2 * loaded_.graph.cables.size());
  std::size_t pairs = 0;
  const auto add = [&](network::HostIndex source, network::HostIndex sink) {
    if (source == sink || ++pairs > most_pairs) return;
    for (const auto port : ways_.between(loaded_.graph.hosts[source], loaded_.graph.hosts[sink])) {
      if (!seen[port]) ports.push_back(port);
      seen[port] = true;
    }
  };
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!all_to_all && sinks.size() <= sources.size()) {
      add(sources[i], sinks[sinks.size() == 1 ? 0 : i]);
      continue;
    }
    for (const auto sink : sinks) add(sources[i], sink);
  }
  return ports;
}

/// A port towards a host is paused by nobody but that host's NIC.
std::optional<LimitResult> LimitSearch::slow_host(const Ports& ports) const {
  std::optional<network::PortIndex> most;
  for (const auto port : ports)
    if (ends_at_host(port) && paused(port) >= noticed && (!most || paused(port) > paused(*most))) most = port;
  if (!most) return std::nullopt;
  return LimitResult{"host " + name_of(behind(*most)),
                     ", which takes in less than the wire brings: its NIC paused its switch " + spelled(paused(*most)) +
                         " % of the time",
                     {}};
}

/// A host whose memory has been busy for nearly all of a collective's time, in microseconds.
std::optional<LimitResult> LimitSearch::slow_rank(const std::vector<network::HostIndex>& ranks, double time) const {
  for (const auto& slow : s_.slow_hosts)
    for (const auto host : hosts_of(loaded_.graph, slow.hosts))
      for (network::PortIndex port = 0; port < 2 * loaded_.graph.cables.size(); ++port) {
        if (behind(port) != loaded_.graph.hosts[host] || std::ranges::count(ranks, host) == 0) continue;
        const auto* cable = use(port);
        if (cable == nullptr || !cable->account) continue;
        const auto took = static_cast<double>(cable->account->arrived) * 8e6 / static_cast<double>(slow.rate.bps());
        if (took < time * nearly_all / 100) continue;
        return LimitResult{"host " + name_of(behind(port)),
                           ", which takes in less than the wire brings: its memory was busy " +
                               spelled(std::min(100.0, took * 100 / time)) + " % of the time",
                           {}};
      }
  return std::nullopt;
}

/// Of several that are as busy the one nearest to the senders.
std::optional<LimitResult> LimitSearch::full_cable(const Ports& ports) const {
  std::optional<network::PortIndex> most;
  for (const auto port : ports)
    if (busy(port) >= full && (!most || busy(port) > busy(*most) + 0.2)) most = port;
  if (!most) return std::nullopt;
  return LimitResult{"cable " + loaded_.graph.name_of(*most), ", busy " + spelled(busy(*most)) + " % of the time", {}};
}

std::optional<LimitResult> LimitSearch::losses(const Ports& ports) const {
  const CableUse* most = nullptr;
  std::optional<network::PortIndex> at;
  for (const auto port : ports) {
    const auto& cable = loaded_.graph.cables[port / 2];
    if (cable.loss > 0 || !cable.lost.empty())
      return LimitResult{"losses on cable " + loaded_.graph.name_of(port), ", which are sent again", {}};
    if (const auto* u = use(port); u != nullptr && u->dropped > 0 && (most == nullptr || u->dropped > most->dropped)) {
      most = u;
      at = port;
    }
  }
  if (most == nullptr) return std::nullopt;
  return LimitResult{"buffer of " + name_of(loaded_.graph.node_of(*at)),
                     ", full when " + std::to_string(most->dropped) + " packets came for " + most->name,
                     {}};
}

std::optional<LimitResult> LimitSearch::marks(const Ports& ports) const {
  const CableUse* most = nullptr;
  for (const auto port : ports)
    if (const auto* u = use(port); u != nullptr && u->marked > 0 && (most == nullptr || u->marked > most->marked))
      most = u;
  if (most == nullptr) return std::nullopt;
  return LimitResult{
      "congestion control", ", slowed by " + std::to_string(most->marked) + " marks at " + most->name, {}};
}

std::optional<LimitResult> LimitSearch::pauses(const Ports& ports) const {
  std::optional<network::PortIndex> most;
  for (const auto port : ports)
    if (paused(port) >= noticed && (!most || paused(port) > paused(*most))) most = port;
  if (!most) return std::nullopt;
  return LimitResult{"buffer of " + name_of(behind(*most)),
                     ", which paused " + loaded_.graph.name_of(*most) + " " + spelled(paused(*most)) + " % of the time",
                     {}};
}

/// Messages that come at a given rate, or of which there are no more.
bool LimitSearch::arrives_in_full(const Rdma& entry, double pairs) const {
  const auto goodput = value(entry.name + ".goodput_gbps");
  const auto bits = static_cast<double>(entry.size.count()) * 8;
  const auto window = static_cast<double>(out_.results.window.count()) * 1e-6;  // ns
  if (entry.load > 0) {
    double line = 0;
    for (const auto host : hosts_of(loaded_.graph, entry.from))
      line += static_cast<double>(rate_of_host(loaded_.graph, host).bps()) * 1e-9;
    return goodput >= 0.98 * line * entry.load / 100;
  }
  const auto messages = pairs * entry.qps;
  if (entry.interval > Duration{})
    return goodput >= 0.98 * messages * bits / (static_cast<double>(entry.interval.count()) * 1e-6);
  return entry.messages > 0 && goodput * window >= 0.99 * messages * entry.messages * bits;
}

/// By Little's law, where nothing on the way is full, the bytes in flight over their latency are the rate: more of them
/// make it more. Those of a queue pair are its messages, or the packets that its window has.
LimitResult LimitSearch::in_flight(const Rdma& entry) const {
  const auto window = Bytes{std::int64_t{s_.nics.window} * s_.nics.mtu};
  if (entry.transport == Transport::rc && entry.size * entry.outstanding > window)
    return {"window of the NICs", ": too few packets in flight for this latency (raise `nics.window`)", {}};
  return {"messages in flight of " + entry.name, ": too few for this latency (raise `outstanding`)", {}};
}

std::optional<LimitResult> LimitSearch::of(const Rdma& entry) {
  const bool back = entry.operation == roce::Work::read;
  const bool all_to_all = entry.load > 0 || entry.transport == Transport::ud;
  const auto ports = back ? ways(entry.to, entry.from, true) : ways(entry.from, entry.to, all_to_all);
  if (arrives_in_full(entry, static_cast<double>(spelt_out(entry.from).size()))) return std::nullopt;
  if (auto limit = slow_host(ports)) return limit;
  if (auto limit = full_cable(ports)) return limit;
  if (auto limit = losses(ports)) return limit;
  if (s_.nics.dcqcn != roce::DcqcnSet::off)
    if (auto limit = marks(ports)) return limit;
  if (auto limit = pauses(ports)) return limit;
  if (entry.load > 0 || entry.interval > Duration{}) return LimitResult{"latency", ", or several things in turn", {}};
  return in_flight(entry);
}

std::optional<LimitResult> LimitSearch::of(const Tcp& entry) {
  const auto ports = ways(entry.from, entry.to, false);
  if (auto limit = slow_host(ports)) return limit;
  if (auto limit = full_cable(ports)) return limit;
  for (const auto* side : {"send", "receive"})
    if (const auto core = value(entry.name + "." + side + "_core_percent"); core >= full)
      return LimitResult{
          "cores of hosts that " + std::string{side}, ", the busiest " + spelled(core) + " % of the time", {}};
  const auto flows = static_cast<double>(spelt_out(entry.from).size()) * entry.connections;
  if (const auto closed = value(entry.name + ".window_closed_us");
      closed > microseconds(out_.results.window).value() * flows / 10)
    return LimitResult{"receive window of " + entry.name,
                       ", closed for " + spelled(closed) +
                           " us, summed over its connections: its application gives memory back too slowly",
                       {}};
  if (auto limit = losses(ports)) return limit;
  if (const auto dropped = value("network.nic_dropped"); dropped > 0)
    return LimitResult{
        "NICs that receive", ", whose rings or buffers had no room for " + spelled(dropped) + " packets", {}};
  if (auto limit = marks(ports)) return limit;
  if (auto limit = pauses(ports)) return limit;
  return LimitResult{"congestion window of " + entry.name, ", too small for the round trip: it has not grown yet", {}};
}

/// A collective or a job that takes its time once.
std::optional<LimitResult> LimitSearch::of(const std::string& name, const std::vector<std::string>& hosts) {
  const auto time = value(name + ".time_us");
  if (time == 0 && is_known(name + ".time_us")) return std::nullopt;
  const auto scale = time > 0 ? microseconds(out_.results.window).value() / time : 1;
  if (time > 0 && value(name + ".computing_us") >= time / 2) return LimitResult{"computation of " + name, "", {}};
  const auto ranks = hosts_of(loaded_.graph, hosts);
  const auto all = microseconds(out_.results.window).value();
  if (auto slow = slow_rank(ranks, time > 0 ? time : all)) return *slow;
  std::optional<network::PortIndex> most;
  for (network::PortIndex port = 0; port < 2 * loaded_.graph.cables.size(); ++port) {
    const auto at = loaded_.graph.node_of(port), to = behind(port);
    const auto foreign = [&](network::NodeIndex node) {
      return loaded_.graph.nodes[node].is_host &&
             std::ranges::none_of(ranks, [&](auto host) { return loaded_.graph.hosts[host] == node; });
    };
    if (busy(port) > 0 && (!most || busy(port) > busy(*most)) && !foreign(at) && !foreign(to)) most = port;
  }
  const auto cable = most ? std::min(100.0, busy(*most) * scale) : 0;
  if (cable >= nearly_all)
    return LimitResult{
        "cable " + loaded_.graph.name_of(*most), ", busy " + spelled(cable) + " % of the time of " + name, {}};
  const auto inside = time > 0 ? value(name + ".inside_us") * 100 / time : 0;
  if (inside >= nearly_all)
    return LimitResult{"links between GPUs", ", busy " + spelled(inside) + " % of the time", {}};
  return LimitResult{"schedule of " + name,
                     ": its steps wait for each other; the busiest cable is used " + spelled(cable) + " % of the time" +
                         (inside > 0 ? ", links between GPUs " + spelled(inside) + " %" : ""),
                     {}};
}

void add(std::vector<LimitResult>& limits, const std::string& entry, std::optional<LimitResult> limit) {
  if (!limit) return;
  auto known = std::ranges::find(limits, limit->name, &LimitResult::name);
  if (known == limits.end()) known = limits.insert(known, std::move(*limit));
  known->traffic.push_back(entry);
}

}  // namespace

void find_limits(const Loaded& loaded, Outcome& out) {
  auto& results = out.results;
  if (results.deadlock) {
    results.limit = "a deadlock";
    return;
  }
  LimitSearch search{loaded, out};
  const auto& s = loaded.scenario;
  for (const auto& entry : s.rdma) add(results.limits, entry.name, search.of(entry));
  for (const auto& entry : s.tcp) add(results.limits, entry.name, search.of(entry));
  for (const auto& entry : s.collectives) add(results.limits, entry.name, search.of(entry.name, entry.hosts));
  for (const auto& entry : s.traces) add(results.limits, entry.name, search.of(entry.name, entry.hosts));
  describe_limits(out);
}

void describe_limits(Outcome& out) {
  auto& results = out.results;
  std::erase_if(out.said, [&](const std::string& said) {
    return std::ranges::find(out.limits_said, said) != out.limits_said.end();
  });
  out.limits_said.clear();
  for (const auto& limit : results.limits) {
    std::string entries;
    for (const auto& name : limit.traffic) entries += (entries.empty() ? "" : ", ") + name;
    out.limits_said.push_back(limit.name + limit.how + "; it holds back " + entries + limit.proof);
  }
  if (results.limits.empty()) out.limits_said.emplace_back("the arrival rate: all that was offered arrived");
  out.said.insert(out.said.begin(), out.limits_said.begin(), out.limits_said.end());
  results.limit = results.limits.empty() ? "the arrival rate" : results.limits.front().name;
  results.bottleneck = out.limits_said.front();
}

}  // namespace peerpath::network_run
