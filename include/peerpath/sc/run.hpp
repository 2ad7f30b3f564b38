// Runs a scenario on SystemC's event queue.
#pragma once

#include "peerpath/platform/run.hpp"

namespace peerpath::sc {

/// Does what platform::run does, to the byte of the results, with time and events of SystemC.
///
/// SystemC's kernel is one a process and cannot start again, so this may be called once in a process.
tl::expected<observe::Results, Problems> run_model(const scenario::Scenario& scenario,
                                                   const platform::RunOptions& options = {});

}  // namespace peerpath::sc
