// The HTML report: one file that needs no network. Tables and the topology drawing are in the page itself; the charts
// are drawn by a script, if it was built in.
#pragma once

#include <string>

#include "tools/report/html.hpp"

namespace peerpath::report {

/// What a page may show besides results.json and run.json; null or empty: nothing of the kind.
struct Extras {
  Json series{};                 ///< series.json of the run
  Json other{}, other_series{};  ///< results.json of another run to lay over this one, and its series.json
  std::string other_name{};      ///< how that one is called
};

/// The page for results.json and run.json. A document that lacks parts, or is no object, gives a page without them.
std::string page(const Json& results, const Json& run, const Extras& extras = {});

/// Whether the program has the script that draws the charts.
bool has_charts();

}  // namespace peerpath::report
