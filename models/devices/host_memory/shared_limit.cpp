#include "devices/host_memory/shared_limit.hpp"

#include <algorithm>

#include "devices/host_memory/powers.hpp"

namespace peerpath::host_memory {
namespace {

constexpr Duration slice = std::chrono::microseconds{2};
constexpr Bytes part = Bytes{64 << 10};  // of a buffer, written at one time

/// The buffer of an address; nullptr where there is none.
auto* buffer_at(auto& buffers, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(buffers, address, {}, [](const auto& buffer) { return buffer.address; });
  const bool inside =
      after != buffers.begin() && Bytes{static_cast<std::int64_t>(address - (after - 1)->address)} < (after - 1)->size;
  return inside ? &*(after - 1) : nullptr;
}

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
      opposite_rates_{config.opposite_rates.empty() ? config.both_rates : config.opposite_rates},
      beside_writes_{config.beside_writes},
      cached_{config.cached},
      cached_together_{config.cached_together.value_or(config.cached)},
      read_limit_{config.read_limit},
      sharpness_{config.read_sharpness},
      round_trip_{config.read_round_trip},
      recent_{config.recent},
      slice_end_{slice} {}

void SharedLimit::add_buffer(std::uint64_t address, Bytes size) {
  buffers_.push_back({address, size});
  if (recent_ > Bytes{}) buffers_.back().written.resize(static_cast<std::size_t>((size + part - Bytes{1}) / part));
}

/// Closed loops settle where their use makes the wait that makes their use, so it follows over some round trips.
void SharedLimit::set_wait(std::int64_t slices) {
  constexpr double follows = 0.25;  // of the way, each slice
  constexpr double most = 0.97;     // of the limit: nearer to it the server itself holds reads back
  wait_ = {};
  if (read_limit_ == BitRate{} || reads_.at_work.size() < 2) return;
  const auto limit = static_cast<double>(read_limit_.bps());
  const auto used = static_cast<double>(rate_of(reads_.moved).bps()) / limit / static_cast<double>(slices);
  use_ += (1 - power(1 - follows, static_cast<double>(slices))) * (used - use_);
  const auto free = 1 - power(std::min(use_, most), sharpness_);
  const auto longer = 1 / power(free, 1 / sharpness_) - 1;
  wait_ = Duration{static_cast<std::int64_t>(longer * static_cast<double>(round_trip_.count()))};
}

void SharedLimit::begin_slice(Instant at) {
  const bool idle = at >= slice_end_ + slice;
  if (idle) {
    reads_.at_work.clear(), writes_.at_work.clear();
    reads_.moved = writes_.moved = Bytes{0};
    use_ = 0;
  }
  const auto slices = (at - slice_end_) / slice + 1;
  std::size_t both_ways = 0;
  for (const auto& writer : writes_.at_work)
    if (std::ranges::find(reads_.at_work, writer.node, &AtWork::node) != reads_.at_work.end()) ++both_ways;
  set_uncached(rate_for(beside_writes_, both_ways));
  set_wait(slices);
  // What comes and goes by so many links counts: one that reads and one that writes are as one that does both.
  const auto both =
      rate_for(both_ways > 0 ? both_rates_ : opposite_rates_, (reads_.at_work.size() + writes_.at_work.size() + 1) / 2);
  reads_.rate = beside(rate_for(reads_.rates, reads_.at_work.size()), both, rate_of(writes_.moved));
  writes_.rate = beside(rate_for(writes_.rates, writes_.at_work.size()), both, rate_of(reads_.moved));
  // Nothing of buffers that a cache holds, all of them together, is asked of DRAM.
  Bytes all{};
  for (const auto& buffer : buffers_) all += buffer.size;
  if (all > Bytes{} && all <= cached_together_) reads_.rate = writes_.rate = BitRate{}, wait_ = {};
  for (auto* way : {&reads_, &writes_}) {
    way->at_work.clear();
    way->moved = Bytes{0};
  }
  slice_end_ += slice * slices;
}

bool SharedLimit::is_cached(std::uint64_t address) const {
  const auto* buffer = buffer_at(buffers_, address);
  return buffer == nullptr || Bytes{static_cast<std::int64_t>(address - buffer->address)} < cached_;
}

Bytes SharedLimit::older_than_recent(std::uint64_t address, Bytes bytes) const {
  const auto* buffer = recent_ > Bytes{} ? buffer_at(buffers_, address) : nullptr;
  if (buffer == nullptr) return bytes;
  const auto then = buffer->written[(address - buffer->address) / static_cast<std::uint64_t>(part.count())];
  if (then == Bytes{}) return bytes;
  const auto since = static_cast<double>((all_written_ - then).count()) / static_cast<double>(recent_.count());
  return Bytes{static_cast<std::int64_t>((1 - exponential(-since)) * static_cast<double>(bytes.count()) + 0.5)};
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
  auto begin = take(reads_, requester, older_than_recent(address, bytes), at);
  begin += wait_;
  return uncached_.empty() || is_cached(address) ? begin : take_uncached(requester, bytes, begin);
}

Instant SharedLimit::write(fabric::NodeId requester, std::uint64_t address, Bytes bytes, Instant at) {
  all_written_ += bytes;
  if (auto* buffer = recent_ > Bytes{} ? buffer_at(buffers_, address) : nullptr)
    buffer->written[(address - buffer->address) / static_cast<std::uint64_t>(part.count())] = all_written_;
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
