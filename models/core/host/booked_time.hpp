// For how long units of something were taken, where that is known before the time has come.
#pragma once

#include <deque>

#include "peerpath/base/time.hpp"

namespace peerpath::host {

/// From the start of a TLP to the time at which it comes to a gate is never longer than this: what is asked about a
/// gate while that starts is not about a time before. 4 KiB at 250 MB/s take 17 us.
inline constexpr Duration longest_way = std::chrono::microseconds{100};

/// What is taken from a time on until another one is booked when that is decided, which may be long before: a TLP that
/// finds all units taken is given one of the next rounds at once. So a sum over bookings is not what has happened until
/// now, and the difference of two such sums may be more than there is.
class BookedTime {
 public:
  /// `units` are taken in [begin, end).
  void book(Instant begin, Instant end, std::int64_t units = 1);

  /// Nobody will ask about a time before this any more.
  void forget(Instant before) {
    while (!ahead_.empty() && ahead_.front().end <= before) ahead_.pop_front();
  }

  /// Summed over units, from the start until `now`: what is booked for later is not in it.
  Duration until(Instant now) const;

 private:
  struct Booking {
    Instant begin, end;
    std::int64_t units;
  };
  std::deque<Booking> ahead_;  ///< those that may not have ended
  Duration all_{};
};

}  // namespace peerpath::host
