// The table that a sweep prints when it ends.
#pragma once

#include <string>

#include "tools/report/sweep_page.hpp"

namespace peerpath::cli {

/// One line for each point that ran, in order: its number, the varied values, the figure of the sweep, the worst 99th
/// percentile of latency, the status unless it is ok, and the bottleneck, or the message of a point without one. At
/// most `most` lines, then how many are left.
std::string sweep_table(const report::SweepSummary& sweep, std::size_t most);

}  // namespace peerpath::cli
