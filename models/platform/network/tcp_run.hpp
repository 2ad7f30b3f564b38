// A network scenario whose hosts speak TCP, run.
#pragma once

#include "platform/network/run.hpp"

namespace peerpath::network_run {

/// Problems are those of hosts that cannot be built, or of the capture that is asked for.
tl::expected<Outcome, Problems> run_tcp(const network_scenario::Loaded& loaded, const Options& options);

}  // namespace peerpath::network_run
