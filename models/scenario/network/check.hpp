// What is wrong with a network scenario beyond single values.
#pragma once

#include "scenario/document.hpp"
#include "scenario/network/load.hpp"

namespace peerpath::network_scenario {

/// Makes the graph, names what has no name, and reports what does not fit together. `root`: where it was read from.
void check(const scenario::Node& root, scenario::Report& report, Loaded& loaded);

}  // namespace peerpath::network_scenario
