// What `peerpath compare` says of two runs that are cut out of a flow.
#pragma once

#include <array>
#include <string>

#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

/// Prints the comparison of two documents results.json, and checks --fail-if.
Exit compare_metrics(const Arguments& arguments, const std::array<std::string, 2>& documents, Terminal& terminal);

}  // namespace peerpath::cli
