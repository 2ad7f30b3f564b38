// The graph of a network scenario.
#pragma once

#include "scenario/document.hpp"
#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_scenario {

/// The graph that `/network` describes; false, with problems in the report, if it describes none.
bool make_graph(const scenario::Node& root, scenario::Report& report, const Topology& topology, network::Graph& graph);

}  // namespace peerpath::network_scenario
