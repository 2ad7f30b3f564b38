#include "scenario/check/check.hpp"

#include "peerpath/scenario/describe.hpp"
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
  }
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i)
    std::visit([&]<class What>(What& what) { traffic::Kind<What>::complete(what, scenario, tree, i); },
               scenario.traffic[i].what);
}

}  // namespace peerpath::scenario
