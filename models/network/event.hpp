// An event of a network.
#pragma once

#include <cstdint>

#include "peerpath/base/time.hpp"

namespace peerpath::network {

/// Something that happens at a time. `order` breaks ties.
struct Event {
  static constexpr std::uint64_t without_place = std::uint64_t{1} << 63;

  Instant when{};
  std::uint64_t order = 0;
  std::uint64_t what = 0;  ///< its user's words

  /// Of an event that has a place the order says which; nothing else does.
  bool has_place() const { return order < without_place; }
};

inline bool before(const Event& a, const Event& b) { return a.when != b.when ? a.when < b.when : a.order < b.order; }

}  // namespace peerpath::network
