// `peerpath run` on the model, of a scenario of any kind.
#pragma once

#include "tools/peerpath/run/backends.hpp"

namespace peerpath::cli {

Waiver needs_nothing(const RunArguments& wanted, const study::Subject& subject);

Exit run_on_model(RunTask task, Terminal& terminal);

}  // namespace peerpath::cli
