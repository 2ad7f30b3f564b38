// The metrics of a network scenario: names, units, meanings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_scenario {

struct MetricInfo {
  std::string name;
  std::string unit;  ///< as in observe::Metric
  std::string doc;
};

/// Those that a run of the scenario has, in the order of its results.
std::vector<MetricInfo> metrics_of(const NetworkScenario& scenario);

/// Help for a metric by its name ("network.pauses", "all_reduce.time_us") or the end of it ("time_us").
std::optional<std::string> explain_metric(std::string_view name);

}  // namespace peerpath::network_scenario
