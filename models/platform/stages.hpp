// The stages of the latency of packets: how the moments of a packet become stages.
#pragma once

#include <span>
#include <vector>

#include "peerpath/base/time.hpp"
#include "peerpath/observe/results.hpp"

namespace peerpath::platform {

/// Records a packet: stage n lies between moments n and n + 1. A moment that came before the one in front of it (a
/// completion that overtook its data, a driver that was still polling) ends its stage at once; none ends after the last
/// moment, so the stages sum to the time from the first to the last.
void record_packet(std::vector<observe::StageResult>& stages, std::span<const Instant> moments);

}  // namespace peerpath::platform
