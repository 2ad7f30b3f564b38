// The PCIe scenarios of the hosts of a network.
#pragma once

#include "scenario/document.hpp"
#include "scenario/network/load.hpp"
#include "scenario/resolve.hpp"

namespace peerpath::network_scenario {

/// Loads the scenario of each entry of `nodes` into `loaded`. What is wrong with the entry goes to the report; returned
/// is what is wrong in those scenarios, each problem with a place of its own.
Problems load_nodes(const scenario::Node& root, scenario::Report& report, const scenario::Resolver& resolver,
                    const scenario::LoadOptions& options, Loaded& loaded);

}  // namespace peerpath::network_scenario
