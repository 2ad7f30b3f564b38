#include "scenario/check.hpp"

#include <algorithm>
#include <set>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/frames.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {
namespace {

/// A look at all that waits takes longer than most of the rest: more often, and a run would not come to its end.
constexpr Duration shortest_watchdog = std::chrono::microseconds{1};

void check_run(const Run& run, Problems& out) {
  if (run.watchdog == Duration{0} || run.watchdog >= shortest_watchdog) return;
  out.push_back(
      {"", 0, 0, "/run/watchdog",
       to_text(run.watchdog) + " is below the minimum, " + to_text(shortest_watchdog) + "; 0ns disables the watchdog"});
}

/// What a transmit entry sends, as it arrives: segments of at most its NIC's MTU.
void take_from_sender(const Scenario& scenario, const Tree& tree, Traffic& traffic) {
  const auto sender = std::ranges::find_if(
      scenario.traffic, [&](const Traffic& t) { return t.name == traffic.sender() && t.is<traffic::Transmit>(); });
  if (sender == scenario.traffic.end()) return;
  const Device* device = tree.find(sender->from);
  const auto* nic = device == nullptr ? nullptr : std::get_if<device::NicConfig>(&device->config);
  if (nic == nullptr) return;
  traffic.rate = sender->rate;
  traffic.flows = sender->flows;
  traffic.arrival = sender->arrival;
  traffic.burst = sender->burst;
  const Bytes largest = largest_segment(*nic);
  std::set<Bytes> segments;
  for (const Bytes size : sender->sizes) {
    if (size >= largest) segments.insert(largest);
    if (size % largest > Bytes{0}) segments.insert(size % largest);
  }
  traffic.sizes.assign(segments.rbegin(), segments.rend());
}

}  // namespace

Problems check(const Scenario& scenario) {
  Problems out;
  const Tree tree{scenario};
  check_devices(scenario, tree, out);
  check_payload_sizes(scenario, tree, out);
  check_links(scenario, tree, out);
  check_hosts(scenario, tree, out);
  check_arbitration(scenario, tree, out);
  check_traffic(scenario, tree, out);
  check_events(scenario, tree, out);
  check_names(scenario, tree, out);
  check_expectations(scenario, tree, out);
  check_run(scenario.run, out);
  return out;
}

void complete(Scenario& scenario) {
  const Tree tree{scenario};
  const auto only = [](const std::vector<std::string>& names) { return names.size() == 1 ? names[0] : std::string{}; };
  for (Device& device : scenario.devices)
    std::visit(
        [&](auto& config) {
          if constexpr (requires { config.at; })
            if (config.at.empty()) config.at = only(tree.all_of<device::RootComplexConfig>(host_of(device.name)));
        },
        device.config);
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    Traffic& traffic = scenario.traffic[i];
    if (traffic.name.empty()) traffic.name = std::string{traffic.kind()} + std::to_string(i);
    auto* network = traffic.as<traffic::Network>();
    if (network != nullptr && network->headers_to.empty()) {
      network->headers_to = tree.standing_at<device::HostMemoryConfig>(tree.root_of(traffic.from));
      if (network->headers_to.empty())
        network->headers_to = only(tree.all_of<device::HostMemoryConfig>(host_of(traffic.from)));
    }
  }
  for (Traffic& traffic : scenario.traffic)
    if (traffic.sender()) take_from_sender(scenario, tree, traffic);
}

}  // namespace peerpath::scenario
