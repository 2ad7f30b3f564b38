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

/// Each byte that is read beside one that is written takes 1 / `most`; the others have no such limit.
BitRate uncached_rate(BitRate most, Bytes read, Bytes written) {
  if (most == BitRate{} || written == Bytes{0}) return {};
  if (written >= read) return most;
  return BitRate{static_cast<std::int64_t>(static_cast<WideInt>(most.bps()) * read.count() / written.count())};
}

}  // namespace

SharedLimit::SharedLimit(const device::SharedConfig& config)
    : reads_{config.read_rates, rate_for(config.read_rates, 1)},
      writes_{config.write_rates, rate_for(config.write_rates, 1)},
      both_rates_{config.both_rates},
      beside_writes_{config.beside_writes},
      cached_{config.cached},
      slice_end_{slice} {}

void SharedLimit::begin_slice(Instant at) {
  const bool idle = at >= slice_end_ + slice;
  if (idle) {
    reads_.at_work.clear(), writes_.at_work.clear();
    reads_.moved = writes_.moved = Bytes{0};
  }
  auto devices = reads_.at_work.size();
  std::size_t both_ways = 0;
  for (const auto& writer : writes_.at_work)
    ++(std::ranges::find(reads_.at_work, writer.node, &AtWork::node) == reads_.at_work.end() ? devices : both_ways);
  set_uncached(rate_for(beside_writes_, both_ways));
  const auto both = rate_for(both_rates_, devices);
  reads_.rate = beside(rate_for(reads_.rates, reads_.at_work.size()), both, rate_of(writes_.moved));
  writes_.rate = beside(rate_for(writes_.rates, writes_.at_work.size()), both, rate_of(reads_.moved));
  // Nothing of buffers that a cache holds, all of them together, is asked of DRAM.
  Bytes all{};
  for (const auto& buffer : buffers_) all += buffer.size;
  if (all > Bytes{} && all <= cached_) reads_.rate = writes_.rate = BitRate{};
  for (auto* way : {&reads_, &writes_}) {
    way->at_work.clear();
    way->moved = Bytes{0};
  }
  slice_end_ += slice * ((at - slice_end_) / slice + 1);
}

bool SharedLimit::is_cached(std::uint64_t address) const {
  const auto after =
      std::ranges::upper_bound(buffers_, address, {}, [](const Buffer& buffer) { return buffer.address; });
  if (after == buffers_.begin()) return true;
  const auto& buffer = *(after - 1);
  const Bytes place{static_cast<std::int64_t>(address - buffer.address)};
  return place < cached_ || place >= buffer.size;
}

void SharedLimit::set_uncached(BitRate most) {
  uncached_.clear();
  for (const auto& [reader, read] : reads_.at_work) {
    const auto writer = std::ranges::find(writes_.at_work, reader, &AtWork::node);
    if (writer == writes_.at_work.end()) continue;
    if (const auto rate = uncached_rate(most, read, writer->moved); rate > BitRate{})
      uncached_.push_back({reader, rate});
  }
}

Instant SharedLimit::read(fabric::NodeId requester, std::uint64_t address, Bytes bytes, Instant at) {
  const auto begin = take(reads_, requester, bytes, at);
  return uncached_.empty() || is_cached(address) ? begin : take_uncached(requester, bytes, begin);
}

Instant SharedLimit::write(fabric::NodeId requester, Bytes bytes, Instant at) {
  return take(writes_, requester, bytes, at);
}

Instant SharedLimit::take_uncached(fabric::NodeId requester, Bytes bytes, Instant at) {
  const auto limited = std::ranges::find(uncached_, requester, &Uncached::node);
  if (limited == uncached_.end()) return at;
  const auto begin = std::max(at, uncached_free_);
  uncached_free_ = begin + bytes / limited->rate;
  return begin;
}

Instant SharedLimit::take(Way& way, fabric::NodeId requester, Bytes bytes, Instant at) {
  if (at >= slice_end_) begin_slice(at);
  const auto found = std::ranges::find(way.at_work, requester, &AtWork::node);
  if (found == way.at_work.end())
    way.at_work.push_back({requester, bytes});
  else
    found->moved += bytes;
  way.moved += bytes;
  if (way.rate == BitRate{}) return at;
  const auto begin = std::max(at, way.free);
  way.free = begin + bytes / way.rate;
  return begin;
}

}  // namespace peerpath::host_memory
