// What the kinds of traffic have in common that are a device's own DMA.
#pragma once

#include <cstdint>

#include "peerpath/traffic/kind.hpp"
#include "traffic/dma/config.hpp"

namespace peerpath::scenario::traffic {

struct DmaKind : CommonKind {
  static constexpr bool by_dma = true;
  static constexpr bool even = true;
  static Bytes ends_after(const Dma& dma) { return dma.bytes; }
  static int traffic_class(const Dma& dma) { return dma.traffic_class; }
  static std::int64_t ahead(const Dma& dma, std::int64_t together, const Device* from);
  static void plan_window(const Dma& dma, const Scenario& scenario, std::size_t entry, Bar1Plan& plan);
};

}  // namespace peerpath::scenario::traffic
