// results.json holds only values that scenario, seed and version determine, so its bytes are the same on every machine.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"

namespace peerpath::observe {

inline constexpr int results_schema_version = 1;

/// Parts of results.json that are not results. `scenario` and `origins` are JSON texts from the scenario layer.
struct ResultsContext {
  std::string version;   ///< of peerpath
  std::string name;      ///< of the scenario
  std::string scenario;  ///< resolved scenario
  std::string origins;   ///< where each value came from, by JSON pointer; paths relative
};

/// The document, with a newline at the end. The quantum is left out of the scenario: it changes speed, never results.
std::string results_json(const Results& results, const ResultsContext& context);

}  // namespace peerpath::observe
