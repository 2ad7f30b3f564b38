// Times of the computed engine: femtoseconds since the start, in plain integers.
#pragma once

#include <cstdint>

namespace peerpath::fabric::engine {

using Femto = std::int64_t;
inline constexpr Femto unknown_time = INT64_MAX;

/// `a + span`, where either may be unknown.
constexpr Femto later(Femto a, Femto span) { return span >= unknown_time / 2 ? unknown_time : a + span; }

}  // namespace peerpath::fabric::engine
