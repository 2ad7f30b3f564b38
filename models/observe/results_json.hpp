// results.json: what scenario, seed and version determine, and nothing else, so that it is the same bytes everywhere.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"

namespace peerpath::observe {

inline constexpr int results_schema_version = 1;

/// What stands in results.json beside the results. The texts are JSON, as the scenario layer writes them.
struct ResultsContext {
  std::string version;   ///< of peerpath
  std::string name;      ///< of the scenario
  std::string scenario;  ///< resolved scenario
  std::string origins;   ///< where each value came from, by JSON pointer; paths relative
};

/// The document, with a newline at the end. The quantum is left out of the scenario: it changes speed, never results.
std::string results_json(const Results& results, const ResultsContext& context);

}  // namespace peerpath::observe
