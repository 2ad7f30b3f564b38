// Network scenarios as JSON documents.
#pragma once

#include <nlohmann/json.hpp>

#include "scenario/network/network_scenario.hpp"
#include "scenario/write.hpp"

namespace peerpath::network_scenario {

/// The scenario with every value and canonical units. It loads back to the same scenario.
nlohmann::ordered_json written(const NetworkScenario& scenario);

/// The options that the scenario leaves out and whose texts say what that means.
scenario::Absent absent(const NetworkScenario& scenario);

}  // namespace peerpath::network_scenario
