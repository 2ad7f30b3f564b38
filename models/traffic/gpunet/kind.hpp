// The trait of the kind gpunet.
#pragma once

#include "peerpath/traffic/kind.hpp"
#include "traffic/gpunet/config.hpp"

namespace peerpath::scenario::traffic {
template <>
struct Kind<Gpunet> : CommonKind {
  static void check(const Gpunet& gpunet, TrafficCheck& check);
};

}  // namespace peerpath::scenario::traffic
