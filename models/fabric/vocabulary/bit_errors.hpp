// Which TLPs of one link direction are hit by bit errors.
#pragma once

#include <cstdint>

#include "peerpath/base/random.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::fabric {

/// Distances between bit errors are exponential (independent errors; a distance is drawn once, when the error before it
/// has struck). A TLP with an error in any of its bits is sent again, as often as that takes. What goes over the line
/// while the receiver asks for the replay is discarded by it, so errors there do not matter.
class BitErrors {
 public:
  BitErrors(std::uint64_t seed, std::uint32_t direction, std::int64_t bits_per_error)
      : random_{mix(seed ^ direction), "bit errors"}, mean_{bits_per_error}, left_{distance()} {}

  /// How many TLPs of `bytes` pass before the next error.
  std::int64_t unharmed(std::int64_t bytes) const { return left_ / (8 * bytes); }

  /// Sends `count` TLPs, `unharmed` at most.
  void pass(std::int64_t count, std::int64_t bytes) { left_ -= 8 * bytes * count; }

  /// Sends one TLP until it arrives; returns how many transmissions failed.
  std::int64_t send(std::int64_t bytes) {
    std::int64_t failed = 0;
    for (; left_ < 8 * bytes; ++failed) left_ = distance();
    left_ -= 8 * bytes;
    return failed;
  }

  void strike() { left_ = 0; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::int64_t never = std::int64_t{1} << 62;

  std::int64_t distance() {
    if (mean_ == 0) return never;
    const Wide drawn = static_cast<Wide>(mean_) * exponential_q32(random_.next()) >> 32;
    return drawn >= never ? never : static_cast<std::int64_t>(drawn);
  }

  Random random_;
  std::int64_t mean_, left_;
};

}  // namespace peerpath::fabric
