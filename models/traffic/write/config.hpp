// Options of writes by a device's own DMA.
#pragma once

#include <string_view>

#include "traffic/dma/config.hpp"

namespace peerpath::scenario::traffic {

/// A device writes to another by DMA.
struct Write : Dma {
  static constexpr std::string_view name = "write";
};

}  // namespace peerpath::scenario::traffic
