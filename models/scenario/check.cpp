#include "scenario/check.hpp"

#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {

Problems check(const Scenario& scenario) {
  Problems out;
  const Tree tree{scenario};
  check_devices(scenario, tree, out);
  check_payload_sizes(scenario, tree, out);
  check_links(scenario, tree, out);
  check_arbitration(scenario, tree, out);
  check_traffic(scenario, tree, out);
  check_events(scenario, tree, out);
  check_names(scenario, tree, out);
  check_expectations(scenario, tree, out);
  return out;
}

void complete(Scenario& scenario) {
  const Tree tree{scenario};
  const auto only = [](const std::vector<std::string>& names) { return names.size() == 1 ? names[0] : std::string{}; };
  const auto root = only(tree.all<device::RootComplexConfig>());
  const auto memory = only(tree.all<device::HostMemoryConfig>());
  for (Device& device : scenario.devices)
    std::visit(
        [&](auto& config) {
          if constexpr (requires { config.at; })
            if (config.at.empty()) config.at = root;
        },
        device.config);
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    Traffic& traffic = scenario.traffic[i];
    if (traffic.name.empty()) traffic.name = std::string{name_of(traffic.kind)} + std::to_string(i);
    const bool network = traffic.kind == TrafficKind::receive || traffic.kind == TrafficKind::transmit;
    if (network && traffic.headers_to.empty()) traffic.headers_to = memory;
  }
}

}  // namespace peerpath::scenario
