// What each queue of the engine waits for.
#pragma once

#include <vector>

#include "fabric/engine/state.hpp"

namespace peerpath::fabric::engine {

/// All queues that hold TLPs, by node, ingress, class and egress.
std::vector<Waiting> waiting(const State& state);

}  // namespace peerpath::fabric::engine
