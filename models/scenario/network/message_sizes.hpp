// Sizes of messages that are drawn.
#pragma once

#include <cstdint>

#include "peerpath/base/random.hpp"
#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_scenario {

/// In the mean. `fixed`: the size of an entry whose messages have one size.
Bytes mean_size(Sizes sizes, Bytes fixed);
/// Of one message: 1 B at least.
Bytes draw_size(Sizes sizes, Bytes fixed, Random& random);

}  // namespace peerpath::network_scenario
