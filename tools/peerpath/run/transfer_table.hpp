// The results of an emulator run as text: bytes and paths. There are no rates, because time in an emulator says nothing
// about hardware.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

std::string transfer_table(const observe::Results& results, const scenario::Scenario& scenario,
                           const Terminal& terminal);

}  // namespace peerpath::cli
