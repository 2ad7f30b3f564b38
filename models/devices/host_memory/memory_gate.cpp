#include "devices/host_memory/memory_gate.hpp"

#include <algorithm>

namespace peerpath::host_memory {
namespace {

constexpr std::uint64_t row_bytes = 8192;     // a rank's: 1 Ki columns of 64 bits (JESD79-3 and -4)
constexpr std::uint64_t bank_half = 1 << 20;  // address step at which rows go to the other half of a rank's banks
constexpr Bytes whole_line{static_cast<std::int64_t>(host::line_bytes)};

}  // namespace

MemoryGate::MemoryGate(const device::HostMemoryConfig& config)
    : hop_{config.remote_hop.value_or(Duration{0})},
      read_interval_{config.read_interval},
      partial_interval_{config.partial_write_interval} {
  if (config.cache) cache_.emplace(*config.cache);
  if (config.shared) shared_.emplace(*config.shared);
  if (!config.channels) return;
  channels_ = *config.channels;
  each_channel_.resize(static_cast<std::size_t>(channels_.count));
}

Instant MemoryGate::take_in(fabric::NodeId requester, Instant at) {
  if (read_interval_ == Duration{0}) return at;
  auto found = std::ranges::find(requesters_, requester, &Requester::node);
  if (found == requesters_.end()) found = requesters_.insert(found, {requester});
  const auto begin = std::max(at, found->free);
  found->free = begin + read_interval_;
  return begin;
}

Instant MemoryGate::take_channel(const fabric::GatedTlp& tlp, Instant at) {
  if (each_channel_.empty()) return at;
  const auto interleave = static_cast<std::uint64_t>(channels_.interleave.count());
  Instant begin = at;
  auto address = tlp.address;
  for (auto left = tlp.bytes; left > Bytes{0};) {  // in pieces, side by side
    const Bytes piece{std::min(left.count(), static_cast<std::int64_t>(interleave - address % interleave))};
    auto& channel = each_channel_[address / interleave % each_channel_.size()];
    const auto start = std::max(at, channel.free);
    channel.free = start + piece / channels_.rate * 100 / (100 - channels_.cpu_load_percent);
    channel.busy.forget(tlp.at - host::longest_way);
    channel.busy.book(start, channel.free);
    begin = std::max(begin, start);
    address += static_cast<std::uint64_t>(piece.count());
    left -= piece;
  }
  return begin;
}

Duration MemoryGate::channels_busy(Instant now) const {
  Duration sum{};
  for (const auto& channel : each_channel_) sum += channel.busy.until(now);
  return sum;
}

void MemoryGate::set_banks(const Banks& banks) {
  bank_cycle_ = banks.cycle;
  banks_.assign(static_cast<std::size_t>(banks.count * ranks()), {});
}

Instant MemoryGate::take_bank(std::uint64_t address, Instant at) {
  if (banks_.empty()) return at;
  const auto all_ranks = static_cast<std::uint64_t>(ranks());
  const auto row = address / (row_bytes * all_ranks);
  const auto half = banks_.size() / all_ranks / 2;
  const auto of_rank = row % half + address / bank_half % 2 * half;
  auto& bank = banks_[of_rank * all_ranks + host::rank_of(address, ranks())];
  if (bank.row == row) return at;
  const auto begin = std::max(at, bank.next);
  bank = {row, begin + bank_cycle_};
  return begin;
}

Instant MemoryGate::after_fetches(std::uint64_t address, Bytes bytes, Instant at) {
  std::erase_if(fetches_, [&](const Fetch& f) { return f.there <= at; });
  const auto first = address / host::line_bytes;
  const auto last =
      (address + static_cast<std::uint64_t>(std::max<std::int64_t>(1, bytes.count())) - 1) / host::line_bytes;
  auto begin = at;
  for (const auto& fetch : fetches_)
    if (first <= fetch.last && fetch.first <= last) begin = std::max(begin, fetch.there);
  fetches_.push_back({first, last, begin});
  return begin;
}

Instant MemoryGate::pass(const fabric::GatedTlp& tlp) {
  if (tlp.tlp_class == pcie::TlpClass::completion || tlp.purpose == pcie::Purpose::interrupt) return tlp.at;
  // A write stays in the cache of the near socket; what it does not hold comes from where the memory is.
  if (tlp.tlp_class == pcie::TlpClass::posted) {
    const auto [missed, takes] = cache_ ? cache_->write(tlp.address, tlp.bytes) : host::LastLevelCache::Write{true, {}};
    // A line that goes makes room by being written to DRAM.
    auto begin = missed ? take_channel(tlp, tlp.at) : tlp.at;
    if (missed && tlp.bytes < whole_line) begin = after_refresh(tlp.address, begin);  // fetched to be merged
    if (partial_interval_ > Duration{0} && tlp.bytes < whole_line) {
      begin = std::max(begin, partial_free_);
      partial_free_ = begin + partial_interval_;
    }
    written_ = std::max(written_, begin + takes);
    return shared_ ? shared_->write(tlp.requester, tlp.address, tlp.bytes, written_) : written_;
  }
  // A request does not pass a write (PCIe Base Spec 2.4.1).
  auto begin = std::max(take_in(tlp.requester, tlp.at), written_);
  if (shared_) begin = shared_->read(tlp.requester, tlp.address, tlp.bytes, begin);
  const auto missing = cache_ ? cache_->read(tlp.address, tlp.bytes) : Duration{0};
  if (cache_ && missing == Duration{0}) return begin;
  if (fetches_once_) begin = after_fetches(tlp.address, tlp.bytes, begin);
  const auto served = after_refresh(tlp.address, take_channel(tlp, begin));
  const auto there = take_bank(tlp.address, served) + missing + hop_;
  if (fetches_once_) fetches_.back().there = there;
  return there;
}

}  // namespace peerpath::host_memory
