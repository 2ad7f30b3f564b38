#include "observe/assumptions.hpp"

#include <algorithm>
#include <optional>

#include "observe/credit_pools.hpp"
#include "peerpath/scenario/describe.hpp"

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

/// Kernels that copy to a GPU by loads: how many bytes these have outstanding decides the rate.
void add_loads_in_flight(const scenario::Scenario& scenario, std::vector<std::string>& sentences) {
  for (const auto& traffic : scenario.traffic) {
    const auto* copy = traffic.as<scenario::traffic::Copy>();
    if (copy == nullptr || copy->by != scenario::CopyBy::kernel) continue;
    const auto to = std::ranges::find(scenario.devices, traffic.to, &scenario::Device::name);
    if (to == scenario.devices.end()) continue;
    const auto* gpu = std::get_if<device::GpuConfig>(&to->config);
    if (gpu == nullptr) continue;
    const auto in_flight = gpu->kernels.value_or(device::KernelsConfig{}).copy_in_flight;
    sentences.push_back("Assumption: the kernels of " + traffic.name + " keep " + scenario::to_text(in_flight) +
                        " of loads in flight, which divided by the round trip is their rate. Kernels with fewer are "
                        "slower (35 GB/s are reported for an H100): set devices." +
                        traffic.to + ".kernels.copy_in_flight to what yours have");
  }
}

}  // namespace

std::vector<std::string> flattering_assumptions(const Results& results, const scenario::Scenario& scenario) {
  std::vector<std::string> sentences;
  for (const auto& [name, config] : scenario.devices) {
    const auto* root = std::get_if<device::RootComplexConfig>(&config);
    if (root == nullptr) continue;
    std::string peers;
    for (const auto& traffic : results.traffic) {
      if (traffic.path != name_of(scenario::DataPath::zero_copy) || is_memory(scenario, traffic.to) ||
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
  add_loads_in_flight(scenario, sentences);
  return sentences;
}

}  // namespace peerpath::observe
