#include "devices/host_memory/shared_limit.hpp"

#include <algorithm>

namespace peerpath::host_memory {
namespace {

constexpr Duration slice = std::chrono::microseconds{2};

/// The last rate holds for any more devices.
BitRate rate_for(const std::vector<BitRate>& rates, std::size_t devices) {
  if (rates.empty()) return {};
  return rates[std::min(std::max<std::size_t>(devices, 1), rates.size()) - 1];
}

/// What is left to one way when the other one moves `other`: all that it reaches `alone` if that is nothing, half of
/// `both` if the other one has its half, and on the line between these two elsewhere. Never more than alone.
BitRate beside(BitRate alone, BitRate both, BitRate other) {
  if (both == BitRate{}) return alone;
  const auto half = both.bps() / 2;
  const auto most = alone > BitRate{} ? alone.bps() : both.bps();
  const auto used = std::min(other.bps(), half);
  if (used == 0 || half >= most) return alone;
  return BitRate{most - static_cast<std::int64_t>(static_cast<WideInt>(most - half) * used / half)};
}

BitRate rate_of(Bytes moved) {
  return BitRate{
      static_cast<std::int64_t>(static_cast<WideInt>(moved.count()) * 8 * 1'000'000'000'000'000 / slice.count())};
}

}  // namespace

SharedLimit::SharedLimit(const device::SharedConfig& config)
    : reads_{config.read_rates, rate_for(config.read_rates, 1)},
      writes_{config.write_rates, rate_for(config.write_rates, 1)},
      both_rates_{config.both_rates},
      slice_end_{slice} {}

void SharedLimit::begin_slice(Instant at) {
  const bool idle = at >= slice_end_ + slice;
  if (idle) {
    reads_.at_work.clear(), writes_.at_work.clear();
    reads_.moved = writes_.moved = Bytes{0};
  }
  auto devices = reads_.at_work.size();
  for (const auto writer : writes_.at_work)
    devices += std::ranges::find(reads_.at_work, writer) == reads_.at_work.end();
  const auto both = rate_for(both_rates_, devices);
  reads_.rate = beside(rate_for(reads_.rates, reads_.at_work.size()), both, rate_of(writes_.moved));
  writes_.rate = beside(rate_for(writes_.rates, writes_.at_work.size()), both, rate_of(reads_.moved));
  for (auto* way : {&reads_, &writes_}) {
    way->at_work.clear();
    way->moved = Bytes{0};
  }
  slice_end_ += slice * ((at - slice_end_) / slice + 1);
}

Instant SharedLimit::take(Way& way, fabric::NodeId requester, Bytes bytes, Instant at) {
  if (at >= slice_end_) begin_slice(at);
  if (std::ranges::find(way.at_work, requester) == way.at_work.end()) way.at_work.push_back(requester);
  way.moved += bytes;
  if (way.rate == BitRate{}) return at;
  const auto begin = std::max(at, way.free);
  way.free = begin + bytes / way.rate;
  return begin;
}

}  // namespace peerpath::host_memory
