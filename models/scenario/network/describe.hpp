// Help and schema of network scenarios, generated from `fields()`.
#pragma once

#include <string>
#include <vector>

#include "scenario/topics.hpp"

namespace peerpath::network_scenario {

/// The blocks of a network scenario, with all their options. `run`, `event` and `expect` share their names with those
/// of other scenarios.
std::vector<scenario::Topic> topics();

/// JSON Schema (draft-07) of a network scenario.
std::string schema_json();

}  // namespace peerpath::network_scenario
