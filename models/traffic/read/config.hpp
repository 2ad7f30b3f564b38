// Options of reads by a device's own DMA.
#pragma once

#include <string_view>

#include "traffic/dma/config.hpp"

namespace peerpath::scenario::traffic {

/// A device reads from another by DMA.
struct Read : Dma {
  static constexpr std::string_view name = "read";
};

}  // namespace peerpath::scenario::traffic
