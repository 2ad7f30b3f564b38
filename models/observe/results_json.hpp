// results.json holds only values that scenario, seed and version determine, so its bytes are the same on every machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "peerpath/observe/results.hpp"

namespace peerpath::observe {

inline constexpr int results_schema_version = 1;

/// Parts of results.json that are not results.
struct ResultsContext {
  std::string version;                                                 ///< of peerpath
  std::string name;                                                    ///< of the scenario
  nlohmann::ordered_json scenario = nlohmann::ordered_json::object();  ///< resolved
  nlohmann::ordered_json origins =
      nlohmann::ordered_json::object();  ///< of each value, by JSON pointer; paths relative
};

/// The document. The quantum is left out of the scenario: it changes speed, never results.
nlohmann::ordered_json results_document(const Results& results, ResultsContext context);

/// The document as it is written: with a newline at the end.
std::string results_text(const nlohmann::ordered_json& document);

}  // namespace peerpath::observe
