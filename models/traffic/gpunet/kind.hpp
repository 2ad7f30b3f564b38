// The trait of the kind gpunet.
#pragma once

#include "peerpath/traffic/kind.hpp"
#include "traffic/gpunet/config.hpp"

namespace peerpath::scenario::traffic {
template <>
struct Kind<Gpunet> : CommonKind {
  static constexpr bool repeats = false;  // a message follows the answer to the last one
  static void check(const Gpunet& gpunet, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
