#include "devices/root_complex/platform.hpp"

#include "devices/pcie_switch/platform.hpp"
#include "devices/root_complex/kind.hpp"
#include "devices/root_complex/root_complex.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"

namespace peerpath::platform {
namespace {

void fill_iommu(Report& report, const std::string& name, const device::IommuConfig& config,
                const std::vector<RootComplex::Iommu>& before, const std::vector<RootComplex::Iommu>& after) {
  std::int64_t hits = 0, misses = 0, of_size = 0, flushes = 0;
  Duration busiest{};
  for (std::size_t port = 0; port < after.size(); ++port) {
    const auto &a = before[port].counters, &b = after[port].counters;
    hits += b.hits - a.hits;
    misses += b.misses - a.misses;
    of_size += b.of_size - a.of_size;
    flushes += b.flushes - a.flushes;
    const auto walking = after[port].walking - before[port].walking;
    busiest = std::max(busiest, walking);
    if (walking > Duration{0})
      report.results.resources.push_back(
          {name + " IOMMU page walkers of root port " + std::to_string(port), walking, report.window * config.walkers});
  }
  report.add(name + ".iommu_hits", "1", hits, "Requests that hit the IOTLB");
  report.add(name + ".iommu_misses", "1", misses, "Requests that missed the IOTLB and caused a page walk");
  report.add(name + ".iommu_misses_of_size", "1", of_size,
             "Estimated misses that an IOTLB with twice the entries would avoid");
  report.add(name + ".iommu_flushes", "1", flushes, "Number of IOTLB flushes");
  report.results.metrics.push_back(
      {name + ".iommu_walkers_percent", "%",
       observe::quotient(static_cast<WideInt>(busiest.count()) * 100, report.window.count() * config.walkers, 4),
       "Utilisation of the page walkers of the busiest root port"});
}

/// Of each root port that has been busy: `held` of `units` for writes and for reads.
void fill_ports(Report& report, const std::string& what, int write_units, int read_units,
                const std::vector<RootComplex::Taken>& before, const std::vector<RootComplex::Taken>& after) {
  const auto add = [&](const std::string& kind, std::size_t port, Duration taken, int units) {
    if (taken > Duration{0})
      report.results.resources.push_back(
          {what + " " + kind + " of root port " + std::to_string(port), taken, report.window * units});
  };
  for (std::size_t port = 0; port < after.size(); ++port) {
    add("writes", port, after[port].writes - before[port].writes, write_units);
    add("reads", port, after[port].reads - before[port].reads, read_units);
  }
}

/// "62.5 %"
std::string percent_of(Duration part, Duration whole) {
  return observe::to_string(observe::quotient(static_cast<WideInt>(part.count()) * 100, whole.count(), 1)) + " %";
}

}  // namespace

/// How far ordered commit held up writes, by root port.
void RootComplex::fill_ordered(Report& report, const std::string& name, const std::vector<Ordered>& before,
                               const std::vector<Ordered>& after) const {
  Duration longest{};
  for (std::size_t port = 0; port < after.size(); ++port) {
    const Duration held = after[port].held - before[port].held, waited = after[port].waited - before[port].waited;
    longest = std::max(longest, waited);
    if (held > Duration{0})
      report.results.resources.push_back({name + " ordered writes of root port " + std::to_string(port), held,
                                          report.window * config_.ordered_writes->lines});
    if (waited * 20 <= report.window) continue;  // 5 %
    const auto* behind = across(*ports_[port]);
    const auto device = behind != nullptr ? report.topology.nodes[behind->node.value()].name : name;
    report.results.warnings.push_back(
        "writes by " + device + " waited for ordered commit in " + name + " during " +
        percent_of(waited, report.window) +
        " of the window, because they do not carry Relaxed Ordering. Set function.relaxed_ordering of the NIC or GPU "
        "that sends them, if its software does not rely on their order");
  }
  report.results.metrics.push_back(
      {name + ".ordered_wait_percent", "%",
       observe::quotient(static_cast<WideInt>(longest.count()) * 100, report.window.count(), 4),
       "Share of the window in which the next write at a root port waited for earlier ones to be committed in order; "
       "of "
       "the port with the longest wait"});
}

RootComplex::RootComplex(const std::string& name, Domain& domain, int ports, const device::RootComplexConfig& config)
    : Device{domain.add_router(name, root_complex::router(config))},
      config_{config},
      domain_{domain},
      ports_{make_ports(domain, node(), ports)},
      memory{node()} {
  domain.add_port(memory);
  memory.link.internal = true;
  domain.before_build([this] { complete(); });
  if (!root_complex::RootPort::wanted(config)) return;
  for (const auto& port : ports_)
    port->gate = gates_.emplace_back(std::make_unique<root_complex::RootPort>(config)).get();
}

Port& RootComplex::take_socket_port(BitRate write_rate, BitRate read_rate) {
  auto& port = *socket_ports_.emplace_back(std::make_unique<Port>(node()));
  auto& crossing = *crossings_.emplace_back(std::make_unique<root_complex::PeerCrossing>(write_rate, read_rate));
  if (write_rate > BitRate{} || read_rate > BitRate{}) port.gate = &crossing;
  domain_.add_port(port);
  return port;
}

void RootComplex::complete() {
  const auto* host = across(memory);
  const auto host_node = host != nullptr ? host->node : node();  // without memory all others are peers
  for (const auto& gate : gates_) {
    gate->set_memory(host_node);
    for (const auto other : remote_) gate->add_memory(other);
  }
  for (const auto& crossing : crossings_) {
    crossing->add_memory(host_node);
    for (const auto other : remote_) crossing->add_memory(other);
  }
  if (!config_.peer_to_peer) return;
  for (const auto& port : ports_) {
    auto* behind = across(*port);
    if (behind == nullptr) continue;
    peer_writes_.push_back(std::make_unique<root_complex::PeerWrites>(*config_.peer_to_peer, host_node, behind->gate));
    for (const auto other : remote_) peer_writes_.back()->add_memory(other);
    behind->gate = peer_writes_.back().get();
  }
}

std::any RootComplex::count(Instant now) {
  Counted counted;
  for (const auto& gate : gates_) {
    counted.credits.push_back({gate->write_credits_held(now), gate->read_credits_held(now)});
    if (gate->iommu() != nullptr)
      counted.iommus.push_back({gate->iommu()->counters(), gate->iommu()->walking_until(now)});
    counted.peers.push_back({{}, gate->peer_reads_busy(now)});
    counted.ordered.push_back({gate->ordered_held(now), gate->ordered_waited(now)});
  }
  for (std::size_t port = 0; port < peer_writes_.size(); ++port)
    counted.peers[port].writes = peer_writes_[port]->busy_until(now);
  for (const auto& crossing : crossings_)
    counted.crossings.push_back({crossing->writes_busy(now), crossing->reads_busy(now)});
  return counted;
}

void RootComplex::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before), &b = std::any_cast<const Counted&>(after);
  if (config_.credits)
    fill_ports(report, name + " memory credits for", config_.credits->write_credits, config_.credits->read_credits,
               a.credits, b.credits);
  if (config_.ordered_writes) fill_ordered(report, name, a.ordered, b.ordered);
  if (config_.peer_to_peer) fill_ports(report, name + " peer", 1, 1, a.peers, b.peers);
  for (std::size_t port = 0; port < crossings_.size(); ++port) {
    const auto other = report.topology.nodes[across(*socket_ports_[port])->node.value()].name;
    const auto add = [&](const char* what, Duration taken) {
      if (taken > Duration{0})
        report.results.resources.push_back({"link " + other + "-" + name + " peer " + what, taken, report.window});
    };
    add("writes", b.crossings[port].writes - a.crossings[port].writes);
    add("reads", b.crossings[port].reads - a.crossings[port].reads);
  }
  if (config_.iommu) fill_iommu(report, name, *config_.iommu, a.iommus, b.iommus);
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::RootComplexConfig>::make(const std::string& name,
                                                                                const RootComplexConfig& config,
                                                                                const scenario::Scenario& scenario,
                                                                                platform::Platform& platform) {
  return std::make_unique<platform::RootComplex>(name, platform.domain, platform::links_at(scenario, name), config);
}

}  // namespace peerpath
