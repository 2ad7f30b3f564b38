// Typed values as JSON documents.
#pragma once

#include <nlohmann/json.hpp>

#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {

/// The scenario with every value and canonical units. It loads back to the same scenario.
nlohmann::ordered_json written(const Scenario& scenario);

/// Where each value came from: object of JSON pointer -> {"from": ..., "source": ...}.
nlohmann::ordered_json written_origins(const Loaded& loaded);
nlohmann::ordered_json written_origins(const std::map<std::string, Origin>& origins);

/// One line for each value of a scenario as it is written: pointer, value, whence.
std::string resolved_text(const nlohmann::ordered_json& scenario, const std::map<std::string, Origin>& origins);

}  // namespace peerpath::scenario
