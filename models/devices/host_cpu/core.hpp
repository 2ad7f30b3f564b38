// A core as a serial resource.
#pragma once

#include <algorithm>
#include <deque>

#include "peerpath/base/units.hpp"

namespace peerpath::host_cpu {

/// One core: work starts when it is free and is never interrupted. Pollers wait for it in turn.
class Core {
 public:
  /// Does `cost` of work as soon after `now` as it can; returns the end.
  Instant run(Instant now, Duration cost) {
    free_ = std::max(now, free_) + cost;
    busy_ += cost;
    return free_;
  }
  Instant free() const { return free_; }
  /// Sum of all work given to it, of which some may lie ahead.
  Duration busy() const { return busy_; }
  /// Work done until `now`.
  Duration busy_until(Instant now) const { return free_ > now ? busy_ - (free_ - std::max(now, Instant{})) : busy_; }

  std::deque<std::size_t> waiting;  ///< pollers by number

 private:
  Instant free_{};
  Duration busy_{};
};

}  // namespace peerpath::host_cpu
