// Typed values as JSON documents.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {

/// The scenario with every value and canonical units. It loads back to the same scenario.
nlohmann::ordered_json written(const Scenario& scenario);

/// Where each value came from: object of JSON pointer -> {"from": ..., "source": ...}.
nlohmann::ordered_json written_origins(const Loaded& loaded);
nlohmann::ordered_json written_origins(const std::map<std::string, Origin>& origins);

/// Options without a value by JSON pointer: the meaning of their absence.
using Absent = std::map<std::string, std::string>;

/// "IOMMU off" of an option's text "...; absent: IOMMU off"; "" if the text says nothing about absence.
std::string_view meaning_of_absence(std::string_view doc);

/// The options that the scenario leaves out and whose texts say what that means.
Absent absent(const Scenario& scenario);

/// One line for each value of a scenario as it is written: pointer, value, whence. An absent option follows the values
/// of its object: pointer, "(absent)", meaning.
std::string resolved_text(const nlohmann::ordered_json& scenario, const std::map<std::string, Origin>& origins,
                          const Absent& absent);

}  // namespace peerpath::scenario
