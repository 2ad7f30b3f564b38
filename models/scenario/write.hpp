// Typed values as JSON documents.
#pragma once

#include <nlohmann/json.hpp>

#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {

/// The scenario with every value and canonical units. It loads back to the same scenario.
nlohmann::ordered_json written(const Scenario& scenario);

/// Where each value came from: object of JSON pointer -> {"from": ..., "source": ...}.
nlohmann::ordered_json written_origins(const Loaded& loaded);

}  // namespace peerpath::scenario
