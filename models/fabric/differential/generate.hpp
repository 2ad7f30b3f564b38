// A tree drawn from a seed, with traffic: what every case begins with.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Odd seeds give closed loops.
Scenario generate_tree(std::uint64_t seed);

}  // namespace peerpath::fabric::differential
