// `peerpath run` of a network scenario.
#pragma once

#include "scenario/network/load.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/files/input_files.hpp"

namespace peerpath::cli {

Exit run_network(const Arguments& arguments, const network_scenario::Loaded& loaded, InputFiles inputs,
                 Terminal& terminal);

/// Whether this process is the one of its launcher's ranks that says what all of them would.
bool speaks_for_all();

}  // namespace peerpath::cli
