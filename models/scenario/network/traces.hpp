// Execution traces that a network scenario names.
#pragma once

#include "scenario/network/load.hpp"
#include "scenario/resolve.hpp"

namespace peerpath::network_scenario {

/// Reads the files of each entry of `traces` and makes jobs of them. Problems of entries go to `report`, those within
/// files are returned.
Problems load_traces(const scenario::Node& root, scenario::Report& report, const scenario::Resolver& resolver,
                     const scenario::LoadOptions& options, Loaded& loaded);

}  // namespace peerpath::network_scenario
