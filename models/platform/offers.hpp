// What traffic offers, by its own arrivals: it does not depend on how much of it gets through.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "transport/traffic/arrival_process.hpp"

namespace peerpath::platform {

/// Frames or transfers offered at one instant.
struct Offer {
  Instant when{};
  std::int64_t packets = 1;
  Bytes payload{};
};

/// The arrivals of one source, in their order.
using Arrivals = std::function<Offer()>;

/// `sizes` in turn, when `process` says. A copy of the source's own process gives the source's own times.
inline Arrivals arrivals_of(transport::ArrivalProcess process, std::vector<Bytes> sizes, std::int64_t count = 0) {
  return [process, sizes = std::move(sizes), count, turn = std::size_t{0}]() mutable {
    if (count > 0 && turn == static_cast<std::size_t>(count)) return Offer{never, 0, Bytes{}};
    const Bytes size = sizes[turn++ % sizes.size()];
    return Offer{process.next(size), 1, size};
  };
}

/// `burst` packets of one size every `burst` times the interval, as a driver's plan has them.
inline Arrivals planned_arrivals(Duration interval, int burst, Bytes packet) {
  return [=, when = Instant{}]() mutable {
    const Offer offer{when, burst, packet * std::int64_t{burst}};
    when += interval * std::int64_t{burst};
    return offer;
  };
}

}  // namespace peerpath::platform
