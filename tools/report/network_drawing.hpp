// A drawing of a network's switches in layers, with the load of the cables between them.
#pragma once

#include <string>

#include "tools/report/html.hpp"

namespace peerpath::report {

/// Inline SVG: the switches farthest from hosts at the top, hosts as one box a leaf. "" of a run without cables, and of
/// a network with more boxes or lines than a page shows.
std::string network_svg(const Json& results);

}  // namespace peerpath::report
