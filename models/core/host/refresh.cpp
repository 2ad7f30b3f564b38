#include "core/host/refresh.hpp"

#include <algorithm>

#include "peerpath/base/random.hpp"

namespace peerpath::host {
namespace {

constexpr std::uint64_t rank_interleave = 256;

}  // namespace

std::uint64_t rank_of(std::uint64_t address, int ranks) {
  return address / rank_interleave % static_cast<std::uint64_t>(ranks);
}

Instant after_refresh(const Refresh& refresh, std::uint64_t address, Instant at) {
  const auto rank = static_cast<std::int64_t>(rank_of(address, refresh.ranks));
  // Each interval has one refresh, at any time in it that lets it end there: controllers postpone and advance them.
  const auto turn = at.time_since_epoch() / refresh.interval;
  const Instant interval{turn * refresh.interval};
  const auto slack = std::max(Duration{0}, refresh.interval - refresh.time);
  Random random{static_cast<std::uint64_t>(turn * refresh.ranks + rank), "refresh"};
  const auto begin =
      interval + Duration{static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(femtoseconds(slack)) + 1))};
  return at >= begin && at < begin + refresh.time ? begin + refresh.time : at;
}

}  // namespace peerpath::host
