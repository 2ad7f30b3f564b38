// A drawing of the PCIe tree with the load of each link.
#pragma once

#include <string>

#include "tools/report/html.hpp"

namespace peerpath::report {

/// Inline SVG; "" if the results name no links.
std::string topology_svg(const Json& results);

}  // namespace peerpath::report
