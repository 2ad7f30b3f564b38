// What `peerpath compare` says of two runs that are cut out of a flow.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

/// Prints the comparison of two documents results.json, as text or as JSON, and checks the rules of --fail-if. `names`
/// are those of the runs.
Exit compare_metrics(const std::array<std::string, 2>& names, const std::array<std::string, 2>& documents,
                     const std::vector<std::string>& rules, bool json, const Terminal& terminal);

}  // namespace peerpath::cli
