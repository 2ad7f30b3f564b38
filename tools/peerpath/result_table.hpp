// The results of a run as a person reads them on a terminal.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "tools/peerpath/terminal.hpp"

namespace peerpath::cli {

std::string result_table(const observe::Results& results, const scenario::Scenario& scenario, const Terminal& terminal);

/// The part of it that says what was expected and found: one line each.
std::string expectation_table(const observe::Results& results, const Terminal& terminal);

}  // namespace peerpath::cli
