// The HTML report: one file that needs no network. Tables and the topology drawing are in the page itself; the charts
// are drawn by a script, if it was built in.
#pragma once

#include <string>
#include <string_view>

namespace peerpath::report {

/// The page for the texts of results.json and run.json. Text that is not JSON, or lacks parts, gives a page without
/// them.
std::string page(std::string_view results, std::string_view run);

/// Whether the program has the script that draws the charts.
bool has_charts();

}  // namespace peerpath::report
