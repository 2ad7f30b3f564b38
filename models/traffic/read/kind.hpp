// The trait of the kind read.
#pragma once

#include "traffic/dma/kind.hpp"
#include "traffic/read/config.hpp"

namespace peerpath::scenario::traffic {

template <>
struct Kind<Read> : DmaKind {
  static constexpr bool pulls = true;

  static void check(const Read& read, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
