// Checks of transfers that a device makes by its own DMA.
#pragma once

#include <string>

#include "scenario/check/traffic_check.hpp"
#include "traffic/dma/config.hpp"

namespace peerpath::scenario::traffic {

/// The two devices of a transfer, and the keys of the entry that name them.
struct DmaEnds {
  std::string from_key, from, to_key, to;
};

void check_dma(const Dma& dma, TrafficCheck& check, const DmaEnds& ends);
/// Of an entry whose transfers go from `from` to `to`.
void check_dma(const Dma& dma, TrafficCheck& check);

}  // namespace peerpath::scenario::traffic
