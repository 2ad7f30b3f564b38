// The credit law of a host: so many things in flight, each of which holds its credit for a time.
#pragma once

#include <vector>

#include "core/host/booked_time.hpp"
#include "peerpath/base/time.hpp"

namespace peerpath::host {

/// Credits that are taken in order. With C of them held for L each, no more than C things start in any L.
class LineCredits {
 public:
  explicit LineCredits(int credits) : free_(static_cast<std::size_t>(credits)) {}

  /// Takes `count` of them one after the other from `at` on and holds each for `hold`; returns when the last is taken.
  Instant take(std::int64_t count, Instant at, Duration hold);

  Duration waited() const { return waited_; }  ///< summed over calls, since the start
  /// Summed over credits, from the start until `now`, which is not before what was forgotten.
  Duration held_until(Instant now) const { return held_.until(now); }
  void forget(Instant before) { held_.forget(before); }

 private:
  std::vector<Instant> free_;  ///< of each credit, in the order in which they come back
  std::size_t next_ = 0;
  Instant last_{};
  Duration waited_{};
  BookedTime held_;
};

}  // namespace peerpath::host
