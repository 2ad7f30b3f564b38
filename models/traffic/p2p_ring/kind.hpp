// The trait of the kind p2p_ring.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "traffic/dma/kind.hpp"
#include "traffic/p2p_ring/config.hpp"

namespace peerpath::scenario::traffic {

template <>
struct Kind<P2pRing> : DmaKind {
  static constexpr bool writes = true;
  static std::vector<Leg> legs(const P2pRing& ring, const auto& t) {
    std::vector<Leg> legs{{t.from, t.to}};
    for (const auto& gpu : ring.onwards) legs.push_back({legs.back().to, gpu});
    legs.push_back({legs.back().to, t.from});
    return legs;
  }
  static Bytes at_rate(const P2pRing& ring, Bytes payload) {
    return payload * static_cast<std::int64_t>(ring.onwards.size() + 2);
  }

  static void check(const P2pRing& ring, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
