// Network scenarios as JSON documents.
#pragma once

#include <nlohmann/json.hpp>

#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_scenario {

/// The scenario with every value and canonical units. It loads back to the same scenario.
nlohmann::ordered_json written(const NetworkScenario& scenario);

}  // namespace peerpath::network_scenario
