#include "scenario/network/pfc.hpp"

#include "network/shared_buffer.hpp"
#include "transport/roce/fleet.hpp"
#include "transport/tcp/fleet.hpp"

namespace peerpath::network_scenario {
namespace {

/// Priorities of packets that a run sends, as bits.
int carried_priorities(const NetworkScenario& s) {
  const roce::FleetConfig nic;
  int carried = s.tcp.empty() ? 0 : 1 << tcp::FleetConfig{}.priority;
  if (s.rdma.empty() && s.collectives.empty() && s.traces.empty()) return carried;
  carried |= 1 << nic.control_priority | 1 << s.nics.cnp_priority;
  for (const auto& entry : s.rdma) carried |= 1 << entry.priority;
  if (!s.collectives.empty() || !s.traces.empty()) carried |= 1 << nic.priority | 1 << nic.urgent_priority;
  return carried;
}

}  // namespace

network::SwitchConfig switches_in_use(const NetworkScenario& scenario) {
  auto config = scenario.switches;
  const auto carried = carried_priorities(scenario);
  std::erase_if(config.lossless, [carried](int priority) { return (carried >> priority & 1) == 0; });
  return config;
}

void check_headroom(const NetworkScenario& scenario, const network::Graph& graph,
                    const std::function<void(const std::string& at, const std::string& what)>& add) {
  const auto config = switches_in_use(scenario);
  std::vector<std::vector<std::int64_t>> headroom(graph.nodes.size());
  for (network::PortIndex p = 0; p < 2 * graph.cables.size(); ++p) {
    const auto& cable = graph.cables[p / 2];
    headroom[graph.node_of(p)].push_back(network::headroom_of(config, cable.rate, cable.delay));
  }
  std::int64_t most = 0;
  network::NodeIndex worst = 0;
  for (network::NodeIndex n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].is_host) continue;
    const auto needed = network::set_aside(config, headroom[n]);
    if (needed <= most) continue;
    most = needed;
    worst = n;
  }
  if (config.lossless.empty() || most <= config.buffer.count()) return;
  add(config.headroom ? "/switches/headroom" : "/switches/buffer",
      "PFC headroom and reserves of the " + std::to_string(headroom[worst].size()) + " ports of \"" +
          graph.nodes[worst].name + "\" need " + std::to_string(most) + " B, and the buffer has " +
          std::to_string(config.buffer.count()) + " B: set switches.buffer to at least " + std::to_string(most) +
          "B, shorten its cables, or remove priorities from switches.lossless");
}

}  // namespace peerpath::network_scenario
