// The expectations of a run as a table.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"
#include "study/text/painter.hpp"

namespace peerpath::study {

/// A line for each expectation: verdict, found value and wanted value.
std::string expectation_table(const observe::Results& results, const Painter& painter);

}  // namespace peerpath::study
