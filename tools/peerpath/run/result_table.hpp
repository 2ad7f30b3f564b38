// The results of a run as a person reads them on a terminal.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

std::string result_table(const observe::Results& results, const scenario::Scenario& scenario, const Terminal& terminal);

/// The table of expectations, one line each: the wanted and the found value.
std::string expectation_table(const observe::Results& results, const Terminal& terminal);

}  // namespace peerpath::cli
