// The HTML report: one file that needs no network. Tables and the topology drawing are in the page itself; the charts
// are drawn by a script, if it was built in.
#pragma once

#include <string>

#include "tools/report/html.hpp"

namespace peerpath::report {

/// The page for results.json and run.json. A document that lacks parts, or is no object, gives a page without them.
std::string page(const Json& results, const Json& run);

/// Whether the program has the script that draws the charts.
bool has_charts();

}  // namespace peerpath::report
