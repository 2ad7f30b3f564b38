// The trait of the kind write.
#pragma once

#include "traffic/dma/kind.hpp"
#include "traffic/write/config.hpp"

namespace peerpath::scenario::traffic {

template <>
struct Kind<Write> : DmaKind {
  static constexpr bool writes = true;

  static void check(const Write& write, TrafficCheck& check);
};

}  // namespace peerpath::scenario::traffic
