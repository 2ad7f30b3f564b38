// A scenario's hardware as a graph for Graphviz.
#pragma once

#include <string>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::study {

/// In the language of `dot`: a box for each device, with its kind; an edge for each PCIe link, link between sockets
/// (bold) and cable (dashed).
std::string graph_text(const scenario::Scenario& scenario);

}  // namespace peerpath::study
