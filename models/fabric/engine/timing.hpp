// What of a transmitter follows from the rate and shape to which its link has trained.
#pragma once

#include "fabric/engine/parts.hpp"

namespace peerpath::fabric::engine {

void set_times(Transmitter& x, BitRate rate);
void set_dllp_intervals(Transmitter& x, Duration acks, Duration updates);

}  // namespace peerpath::fabric::engine
