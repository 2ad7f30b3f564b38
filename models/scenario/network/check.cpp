#include "scenario/network/check.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "peerpath/scenario/describe.hpp"
#include "scenario/check/check.hpp"
#include "scenario/network/check_collective.hpp"
#include "scenario/network/check_unused.hpp"
#include "scenario/network/message_sizes.hpp"
#include "scenario/network/metrics.hpp"
#include "scenario/network/names.hpp"
#include "scenario/network/pfc.hpp"
#include "scenario/network/topology.hpp"
#include "scenario/network/window.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::network_scenario {
namespace {

constexpr std::size_t most_connections = 1'000'000;

using scenario::join;
using scenario::Node;
using scenario::Report;

class Check {
 public:
  Check(const Node& root, Report& report, Loaded& loaded) : root_{root}, report_{report}, loaded_{loaded} {}

  void all() {
    if (!make_graph(root_, report_, loaded_.scenario.network, loaded_.graph)) return;
    for (const auto& wrong : loaded_.graph.problems()) add("/network", wrong);
    for (std::size_t i = 0; i < loaded_.graph.nodes.size(); ++i)
      numbers_[loaded_.graph.nodes[i].name] = static_cast<network::NodeIndex>(i);
    auto& s = loaded_.scenario;
    for (std::size_t i = 0; i < s.slow_hosts.size(); ++i)
      hosts(join(join("/slow_hosts", i), "hosts"), s.slow_hosts[i].hosts);
    for (std::size_t i = 0; i < s.nodes.size(); ++i) node(join("/nodes", i), s.nodes[i]);
    for (std::size_t i = 0; i < s.rdma.size(); ++i) rdma(join("/rdma", i), s.rdma[i], i);
    for (std::size_t i = 0; i < s.collectives.size(); ++i) collective(join("/collectives", i), s.collectives[i], i);
    for (std::size_t i = 0; i < s.traces.size(); ++i) {
      name(join("/traces", i), s.traces[i].name, "trace" + std::to_string(i));
      hosts(join(join("/traces", i), "hosts"), s.traces[i].hosts);
    }
    for (std::size_t i = 0; i < s.tcp.size(); ++i) tcp(join("/tcp", i), s.tcp[i], i);
    for (std::size_t i = 0; i < s.events.size(); ++i) event(join("/events", i), s.events[i]);
    switches(s.switches);
    if (s.servers.gpus > 1 && loaded_.graph.hosts.size() % static_cast<std::size_t>(s.servers.gpus) != 0)
      add("/servers/gpus",
          std::to_string(loaded_.graph.hosts.size()) + " hosts cannot be divided into servers of this size");
    if (const auto& rails = s.network.rail_optimised; rails && rails->rails % s.servers.gpus != 0)
      add("/servers/gpus",
          "a server of network.rail_optimised has " + std::to_string(rails->rails) +
              " hosts, one for each rail, and each host is one GPU with its own NIC: set servers.gpus to " +
              std::to_string(rails->rails) + ", or network.rail_optimised.rails to " + std::to_string(s.servers.gpus));
    const bool none_of_rdma = s.rdma.empty() && s.collectives.empty() && s.traces.empty();
    if (none_of_rdma && s.tcp.empty()) add("", "no traffic: add \"rdma\", \"collectives\", \"traces\" or \"tcp\"");
    if (!s.tcp.empty() && !none_of_rdma)
      add("/tcp", "cannot be combined with \"rdma\", \"collectives\" or \"traces\": a network has one transport");
    if (!none_of_rdma || !s.tcp.empty())
      check_unused(s, [this](const std::string& at, const std::string& what) { add(at, what); });
    if (s.tcp_hosts.pause_above > s.tcp_hosts.nic_buffer) add("/tcp_hosts/pause_above", "is above nic_buffer");
    if (s.nics.pause_above > s.nics.buffer) add("/nics/pause_above", "is above the buffer");
    if (s.nics.resume_below > s.nics.pause_above) add("/nics/resume_below", "is above pause_above");
    if (!std::has_single_bit(static_cast<std::uint64_t>(s.nics.translation_page.count())))
      add("/nics/translation_page", "is not a power of two");
    if (s.run.level == NetworkLevel::flows) flows(s);
    if (s.run.warmup.value_or(Duration{0}).count() < 0) add("/run/warmup", "is negative");
    for (std::size_t i = 0; i < s.expect.size(); ++i) expectation(join("/expect", i), s.expect[i]);
  }

 private:
  void add(const std::string& at, const std::string& what) { report_.add(scenario::locate(root_, at), at, what); }

  /// The number of hosts named, if all of them are there.
  std::optional<std::size_t> hosts(const std::string& at, const std::vector<std::string>& names) {
    const auto spelt = spelt_out(names);
    if (spelt.empty()) add(at, "names no host");
    bool good = !spelt.empty();
    for (const auto& name : spelt) {
      const auto found = numbers_.find(name);
      if (found != numbers_.end() && loaded_.graph.nodes[found->second].is_host) continue;
      std::vector<std::string> all;
      for (const auto host : loaded_.graph.hosts) all.push_back(loaded_.graph.nodes[host].name);
      add(at, "there is no host \"" + name + "\"" + scenario::did_you_mean(name, all));
      good = false;
      break;
    }
    return good ? std::optional{spelt.size()} : std::nullopt;
  }

  /// Of these names.
  std::vector<network::HostIndex> known_hosts(const std::vector<std::string>& names) const {
    for (const auto& name : spelt_out(names))
      if (const auto found = numbers_.find(name);
          found == numbers_.end() || !loaded_.graph.nodes[found->second].is_host)
        return {};
    return hosts_of(loaded_.graph, names);
  }

  /// Hosts of one entry have cables of one rate, and a host has one entry.
  void node(const std::string& at, const NodeEntry& entry) {
    if (!hosts(join(at, "hosts"), entry.hosts)) return;
    const auto numbers = hosts_of(loaded_.graph, entry.hosts);
    for (const auto host : numbers) {
      const auto& name = loaded_.graph.nodes[loaded_.graph.hosts[host]].name;
      if (rate_of_host(loaded_.graph, host) != rate_of_host(loaded_.graph, numbers.front()))
        add(join(at, "hosts"), "\"" + name + "\" has a cable of a different rate than the first host");
      if (!with_node_.insert(host).second) add(join(at, "hosts"), "\"" + name + "\" is in another entry of `nodes`");
    }
    const auto mine = spelt_out(entry.hosts);
    for (const auto& slow : loaded_.scenario.slow_hosts)
      for (const auto& name : spelt_out(slow.hosts))
        if (std::ranges::find(mine, name) != mine.end())
          return add(join(at, "hosts"), "\"" + name + "\" is also in `slow_hosts`");
  }

  void name(const std::string& at, std::string& name, const std::string& standard) {
    if (name.empty()) name = standard;
    if (!names_.insert(name).second) add(join(at, "name"), "another entry is called \"" + name + "\"");
  }

  void rdma(const std::string& at, Rdma& entry, std::size_t number) {
    name(at, entry.name, "rdma" + std::to_string(number));
    const auto from = hosts(join(at, "from"), entry.from), to = hosts(join(at, "to"), entry.to);
    const bool any_to = entry.transport == Transport::ud || entry.load > 0;
    if (from && to && *to != 1 && *to != *from && !any_to)
      add(join(at, "to"), "names " + std::to_string(*to) + " hosts, and \"from\" " + std::to_string(*from) +
                              "; must be one or the same number");
    if (entry.fresh && entry.interval == Duration{}) add(join(at, "fresh"), "needs an interval");
    if (entry.transport == Transport::ud)
      datagrams(at, entry);
    else if (entry.receives != 0 || entry.receive_time > Duration{})
      add(join(at, entry.receives != 0 ? "receives" : "receive_time"), "requires transport \"UD\"");
    if (entry.registered > 0_B && entry.registered < entry.size)
      add(join(at, "registered"), "is less than one message");
    if (entry.load > 0)
      load(at, entry);
    else if (entry.sizes != Sizes::fixed)
      add(join(at, "sizes"), "needs a load");
    without_effect(at, entry);
    if (roce::is_atomic(entry.operation) && entry.size != 8_B) add(join(at, "size"), "must be 8B for an atomic");
  }

  /// Keys that another one of the entry overrides.
  void without_effect(const std::string& at, const Rdma& entry) {
    const Rdma usual;
    const bool loaded = entry.load > 0, timed = entry.interval > Duration{},
               datagrams = entry.transport == Transport::ud;
    const auto refuse = [&](bool given, const char* key, const std::string& why) {
      if (given) add(join(at, key), "has no effect with " + why + ": remove one of the two");
    };
    const std::string by_load = "\"load\", which controls posting, each message on a queue pair of its own";
    refuse(loaded && entry.messages != usual.messages, "messages", by_load);
    refuse(loaded && entry.qps != usual.qps, "qps", by_load);
    refuse(loaded && entry.outstanding != usual.outstanding, "outstanding", by_load);
    refuse(timed && !loaded && entry.outstanding != usual.outstanding, "outstanding",
           "\"interval\", which controls posting");
    const auto by = loaded ? "\"load\"" : timed ? "\"interval\"" : "transport \"UD\"";
    refuse(entry.registered > 0_B && (loaded || timed || datagrams), "registered",
           std::string{by} + ", whose messages use one address");
  }

  void datagrams(const std::string& at, const Rdma& entry) {
    const auto& s = loaded_.scenario;
    if (entry.operation != roce::Work::send) add(join(at, "operation"), "must be \"send\" with transport \"UD\"");
    if (entry.size.count() > s.nics.mtu) add(join(at, "size"), "must be at most nics.mtu with transport \"UD\"");
    if (entry.interval > Duration{}) add(join(at, "interval"), "requires transport \"RC\"");
    if (entry.priority != 3) add(join(at, "priority"), "requires transport \"RC\"");
    if (entry.load > 0) add(join(at, "load"), "requires transport \"RC\"");
    if (entry.receive_time > Duration{} && entry.receives == 0) add(join(at, "receive_time"), "requires `receives`");
  }

  void load(const std::string& at, const Rdma& entry) {
    if (entry.interval > Duration{})
      add(join(at, "interval"), "cannot be combined with \"load\", which controls posting");
    if (roce::answers(entry.operation)) add(join(at, "operation"), "must be a write or a send with \"load\"");
    double messages = 0;
    for (const auto host : known_hosts(entry.from))
      messages += static_cast<double>(rate_of_host(loaded_.graph, host).bps()) / 8e15 * entry.load / 100 *
                  static_cast<double>(longest_run(loaded_.scenario).count()) /
                  static_cast<double>(mean_size(entry.sizes, entry.size).count());
    if (messages > static_cast<double>(most_connections))
      add(join(at, "load"), "makes more than " + std::to_string(most_connections) + " messages in this time");
    const auto to = spelt_out(entry.to), from = spelt_out(entry.from);
    if (to.empty()) return;
    const bool one = std::ranges::all_of(to, [&](const auto& name) { return name == to.front(); });
    if (one && std::ranges::find(from, to.front()) != from.end())
      add(join(at, "to"), "names \"" + to.front() + "\" only, which also sends");
  }

  void collective(const std::string& at, Collective& entry, std::size_t number) {
    name(at, entry.name, "collective" + std::to_string(number));
    const auto count = hosts(join(at, "hosts"), entry.hosts);
    if (!count) return;
    if (*count < 2) add(join(at, "hosts"), "a collective needs at least two ranks");
    check_collective(entry, *count, loaded_.scenario.servers,
                     [&](const std::string& key, const std::string& what) { add(at + "/" + key, what); });
    if (entry.hierarchical) whole_servers(at, known_hosts(entry.hosts));
  }

  /// The hosts are servers with all of their GPUs, in order.
  void whole_servers(const std::string& at, const std::vector<network::HostIndex>& hosts) {
    const auto gpus = static_cast<std::size_t>(loaded_.scenario.servers.gpus);
    for (std::size_t i = 0; i < hosts.size(); ++i)
      if (hosts[i] % gpus != i % gpus || hosts[i] / gpus != hosts[i - i % gpus] / gpus)
        return add(join(at, "hosts"),
                   "are no whole servers of " + std::to_string(gpus) + " GPUs, which \"hierarchical\" needs");
  }

  void tcp(const std::string& at, Tcp& entry, std::size_t number) {
    name(at, entry.name, "tcp" + std::to_string(number));
    const auto from = hosts(join(at, "from"), entry.from), to = hosts(join(at, "to"), entry.to);
    if (from && to && *to != 1 && *to != *from)
      add(join(at, "to"), "names " + std::to_string(*to) + " hosts, and \"from\" " + std::to_string(*from) +
                              "; must be one or the same number");
    if (from && *from * static_cast<std::size_t>(entry.connections) > most_connections)
      add(join(at, "connections"), "makes more than " + std::to_string(most_connections) + " connections");
    if (entry.keep_at > Duration{} && entry.keep_for == Duration{})
      add(join(at, "keep_at"), "has no effect without \"keep_for\": remove it, or say for how long");
    constexpr std::int64_t longest_read = 200;  // seconds
    if (const auto least = (entry.consumer.read_size.count() * 8 + longest_read - 1) / longest_read;
        entry.consumer.rate > BitRate{} && entry.consumer.rate.bps() < least)
      add(join(join(at, "consumer"), "rate"), scenario::to_text(entry.consumer.rate) + " is too slow for reads of " +
                                                  scenario::to_text(entry.consumer.read_size) +
                                                  ", each of which must end within " + std::to_string(longest_read) +
                                                  " s; the minimum is " + scenario::to_text(BitRate{least}));
    const auto memory = entry.consumer.memory.value_or(loaded_.scenario.tcp_stack.receive_buffer);
    if (loaded_.scenario.tcp_stack.window_of == tcp::WindowOf::memory &&
        memory < loaded_.scenario.tcp_stack.receive_buffer)
      add(join(join(at, "consumer"), "memory"), "is less than tcp_stack.receive_buffer, which the window follows");
    if (entry.consumer.return_every > Bytes{memory.count() / 2})
      add(join(join(at, "consumer"), "return_every"),
          "is more than half of the memory, so no memory would be returned");
  }

  void event(const std::string& at, const CableEvent& event) {
    const auto& g = loaded_.graph;
    for (const auto& cable : g.cables) {
      const auto &a = g.nodes[cable.a].name, &b = g.nodes[cable.b].name;
      if ((a == event.from && b == event.to) || (a == event.to && b == event.from)) return;
    }
    add(at, "no cable connects \"" + event.from + "\" and \"" + event.to + "\"");
  }

  /// What flows have no notion of.
  void flows(const NetworkScenario& s) {
    const std::string level = "run.level \"flows\" ";
    if (!s.tcp.empty()) add("/tcp", level + "supports RDMA and collectives only");
    if (s.switches.path == network::PathChoice::spray || s.switches.path == network::PathChoice::flowlet)
      add("/switches/path", level + "uses one path per queue pair");
    for (std::size_t i = 0; i < s.nodes.size(); ++i)
      if (s.nodes[i].level == Level::tlp)
        add(join(join("/nodes", i), "level"), level + "supports hosts of level \"node\" only");
    for (std::size_t i = 0; i < s.rdma.size(); ++i) {
      const auto at = join("/rdma", i);
      if (s.rdma[i].interval > Duration{}) add(join(at, "interval"), level + "does not support \"interval\"");
      if (s.rdma[i].load > 0) add(join(at, "load"), level + "does not support \"load\"");
      if (s.rdma[i].transport == Transport::ud) add(join(at, "transport"), level + "supports transport \"RC\" only");
      if (roce::is_atomic(s.rdma[i].operation)) add(join(at, "operation"), level + "does not support atomics");
      if (s.rdma[i].priority != 3) add(join(at, "priority"), level + "supports one data priority");
    }
  }

  void switches(const network::SwitchConfig& config) {
    for (std::size_t i = 0; i < config.lossless.size(); ++i)
      if (config.lossless[i] < 0 || config.lossless[i] > 7)
        add(join("/switches/lossless", i), "is not a priority from 0 to 7");
    if (!config.weights.empty() && config.weights.size() != 8) add("/switches/weights", "must have eight numbers");
    for (const int weight : config.weights)
      if (weight < 0 || weight > 1000) add("/switches/weights", "must have weights from 0 to 1000");
    if (config.ecn_min > config.ecn_max) add("/switches/ecn_min", "is above ecn_max");
    const bool good = std::ranges::all_of(config.lossless, [](int p) { return p >= 0 && p <= 7; });
    if (good && loaded_.scenario.run.level == NetworkLevel::packets)
      check_headroom(loaded_.scenario, loaded_.graph,
                     [this](const std::string& at, const std::string& what) { add(at, what); });
  }

  void expectation(const std::string& at, const scenario::Expectation& e) {
    std::vector<std::string> all;
    for (const auto& metric : metrics_of(loaded_.scenario)) all.push_back(metric.name);
    const auto why_not = [&](const std::string& name) {
      return std::ranges::find(all, name) != all.end()
                 ? std::string{}
                 : "there is no metric \"" + name + "\"" + scenario::did_you_mean(name, all);
    };
    for (const auto& [key, message] : scenario::problems_of(e, why_not)) add(at + key, message);
  }

  const Node& root_;
  Report& report_;
  Loaded& loaded_;
  std::map<std::string, network::NodeIndex> numbers_;
  std::set<std::string> names_{"network"};
  std::set<network::HostIndex> with_node_;
};

}  // namespace

void check(const Node& root, Report& report, Loaded& loaded) { Check{root, report, loaded}.all(); }

}  // namespace peerpath::network_scenario
