// The results of a network scenario as a person reads them on a terminal.
#pragma once

#include <string>

#include "platform/network/run.hpp"
#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

std::string network_table(const network_scenario::Loaded& loaded, const network_run::Outcome& outcome,
                          const Terminal& terminal);

}  // namespace peerpath::cli
