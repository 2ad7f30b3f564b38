// The trait of the kind copy.
#pragma once

#include "peerpath/traffic/kind.hpp"
#include "traffic/copy/config.hpp"

namespace peerpath::scenario::traffic {

template <>
struct Kind<Copy> : CommonKind {
  static constexpr bool by_copies = true;
  static constexpr bool even = true;

  static void check(const Copy& copy, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
