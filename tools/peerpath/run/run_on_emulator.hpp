// `peerpath run --on emulator`.
#pragma once

#include "peerpath/scenario/load.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/files/input_files.hpp"

namespace peerpath::cli {

Exit run_on_emulator(const Arguments& arguments, const scenario::Loaded& loaded, InputFiles inputs, Terminal& terminal);

}  // namespace peerpath::cli
