#include "observe/assumptions.hpp"

#include <algorithm>
#include <optional>

#include "observe/credit_pools.hpp"

namespace peerpath::observe {
namespace {

/// The port of `root` that a device is below, named by what is linked to it; "" if it is below none.
std::string port_of(const Results& results, const std::string& device, const std::string& root) {
  for (const auto& link : results.links)
    if (link.nearer == root && is_below(results, device, link.farther)) return link.farther;
  return {};
}

/// Whether both ends of the traffic are below ports of `root`, and below different ones.
bool crosses(const Results& results, const TrafficResult& traffic, const std::string& root) {
  const auto from = port_of(results, traffic.from, root), to = port_of(results, traffic.to, root);
  return !from.empty() && !to.empty() && from != to;
}

bool is_memory(const scenario::Scenario& scenario, const std::string& name) {
  return std::ranges::any_of(scenario.devices, [&](const auto& device) {
    return device.name == name && std::holds_alternative<device::HostMemoryConfig>(device.config);
  });
}

/// Payload that is read crosses as completions, other payload as writes; bounced payload goes through host memory.
bool is_limited(const device::RootComplexConfig& root, const TrafficResult& traffic) {
  if (!root.peer_to_peer) return false;
  const bool reads = traffic.kind == "read" || traffic.kind == "transmit";
  return (reads ? root.peer_to_peer->read_rate : root.peer_to_peer->write_rate) > BitRate{};
}

}  // namespace

std::vector<std::string> flattering_assumptions(const Results& results, const scenario::Scenario& scenario) {
  std::vector<std::string> sentences;
  for (const auto& [name, config] : scenario.devices) {
    const auto* root = std::get_if<device::RootComplexConfig>(&config);
    if (root == nullptr) continue;
    std::string peers;
    for (const auto& traffic : results.traffic) {
      if (traffic.path == name_of(scenario::DataPath::bounce) || is_memory(scenario, traffic.to) ||
          is_memory(scenario, traffic.from))
        continue;
      if (crosses(results, traffic, name) && !is_limited(*root, traffic))
        peers += (peers.empty() ? "" : ", ") + traffic.name;
    }
    if (!peers.empty())
      sentences.push_back(name + " passes " + peers +
                          " between its root ports without a limit: give it peer_to_peer rates. A Xeon E5-2650 v4 was "
                          "measured to write 56.8 Gb/s (scenarios/traps/root_complex_p2p_cap.json)");
  }
  return sentences;
}

}  // namespace peerpath::observe
