// Curves over time for the report: how much crossed each link, and how full tags, credits and FIFOs were.
#pragma once

#include <memory>

#include "observe/trace/formats.hpp"

namespace peerpath::trace {

/// series.json: {"from_ns", "step_ns", "curves": [{"group", "name", "unit", "values"}]}, with a value for each of 200
/// equal parts of the trace's window. Payload (Gb/s) of a direction of a link counts where its TLPs start; requests
/// outstanding, header credits in use and bytes in a FIFO are the most of each part; drops are frames. Curves that are
/// 0 throughout are left out.
std::unique_ptr<Sink> make_series(std::ostream& out, const Subject& subject);

}  // namespace peerpath::trace
