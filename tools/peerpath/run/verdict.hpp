// What finished results amount to.
#pragma once

#include "peerpath/observe/results.hpp"
#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// The exit status that finished results call for.
Exit verdict(const observe::Results& results);

/// Whether the run ended in a deadlock and no expectation of the scenario speaks of one: else that expectation decides.
bool ends_in_unwanted_deadlock(const observe::Results& results);

}  // namespace peerpath::cli
