// The trait of the kind atomic.
#pragma once

#include "traffic/atomic/config.hpp"
#include "traffic/dma/kind.hpp"

namespace peerpath::scenario::traffic {

template <>
struct Kind<Atomic> : DmaKind {
  static constexpr bool pulls = true;

  static void check(const Atomic& atomic, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
