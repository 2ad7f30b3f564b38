// The results of an emulator run as a person reads them: bytes and ways. There are no rates: an emulator's time is
// nobody's.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "tools/peerpath/terminal.hpp"

namespace peerpath::cli {

std::string transfer_table(const observe::Results& results, const scenario::Scenario& scenario,
                           const Terminal& terminal);

}  // namespace peerpath::cli
