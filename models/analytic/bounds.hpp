// Bounds that follow from what may be outstanding (Little's law), in closed form.
#pragma once

#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::analytic {

/// Reads cannot return more than `tags` requests of `request` bytes a round trip.
BitRate read_rate_bound(int tags, Bytes request, Duration round_trip);

/// The tags that a read rate needs, rounded up.
int tags_needed(BitRate rate, Bytes request, Duration round_trip);

/// Data bytes that one credit of a root complex stands for in the credit law: a cache line.
inline constexpr Bytes credit_line{64};

/// The credit law of a receiver: `credits` cache lines in flight, each held for `latency` (S. Agarwal et al.,
/// "Understanding the host network", SIGCOMM 2024: throughput <= credits x 64 B / latency).
BitRate credit_rate_bound(int credits, Duration latency);

}  // namespace peerpath::analytic
