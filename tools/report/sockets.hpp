// A drawing of several sockets and hosts: trees that lie on their side, one below the other, each in a box of its own.
#pragma once

#include <string>
#include <vector>

#include "tools/report/topology_tree.hpp"

namespace peerpath::report {

/// Whether there are several hosts or sockets to tell apart.
bool has_sockets(const std::vector<Node>& trees);

/// Inline SVG: hosts as boxes, sockets within them, links between sockets at the left, cables between hosts at the
/// right.
std::string sockets_svg(const Json& results, const std::vector<Node>& trees);

}  // namespace peerpath::report
