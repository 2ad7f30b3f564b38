// The trait of the kind write.
#pragma once

#include "traffic/dma/kind.hpp"
#include "traffic/write/config.hpp"

namespace peerpath::scenario::traffic {

template <>
struct Kind<Write> : DmaKind {
  static constexpr bool writes = true;

  static void check(const Write& write, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
