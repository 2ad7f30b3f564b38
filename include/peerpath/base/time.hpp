// Simulated time: whole femtoseconds, so that a Gen5 x16 byte (15.9 ps) keeps four digits.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

namespace peerpath {

/// A span of simulated time; int64 femtoseconds reach 2.5 hours.
using Duration = std::chrono::duration<std::int64_t, std::femto>;

/// The simulated clock. It has no `now()`: behaviour is told the time, it never asks.
struct SimClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<SimClock, Duration>;
  static constexpr bool is_steady = true;
};

/// A point in simulated time. Two of them cannot be added, and wall time cannot be mixed in.
using Instant = SimClock::time_point;

/// Later than anything that happens.
inline constexpr Instant never{Duration{std::numeric_limits<std::int64_t>::max()}};

constexpr std::int64_t femtoseconds(Duration d) { return d.count(); }
constexpr std::int64_t femtoseconds(Instant t) { return t.time_since_epoch().count(); }

}  // namespace peerpath
