// `peerpath run --on emulator`.
#pragma once

#include "tools/peerpath/run/backends.hpp"

namespace peerpath::cli {

Waiver missing_for_emulator(const RunArguments& wanted, const study::Subject& subject);

Exit run_on_emulator(RunTask task, Terminal& terminal);

}  // namespace peerpath::cli
