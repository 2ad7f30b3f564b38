#include "devices/nic/gve_issuer.hpp"

namespace peerpath::nic::gve {

std::uint64_t Issuer::open(const Continuation& then) {
  if (free_.empty()) {
    if (free_.capacity() <= entries_.size())
      free_.reserve(2 * entries_.size() + 16);  // giving a place back must not fail
    entries_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(entries_.size() - 1));
  }
  const auto place = free_.back();
  free_.pop_back();
  auto& entry = entries_[place];
  entry.then = then;
  entry.fence = fence_;
  entry.taken = true;
  ++entry.use;
  ++under_way_;
  return std::uint64_t{entry.use} << 32 | place;
}

void Issuer::read(fabric::ChannelIndex channel, const Continuation& then, std::uint64_t address, std::size_t size,
                  pcie::Purpose purpose, Instant ready, bool counted) {
  fabric::Transaction t;
  t.cookie = open(then);
  t.op = pcie::Operation::memory_read;
  t.purpose = purpose;
  t.notify_requester = true;
  t.address = address;
  t.bytes = Bytes{static_cast<std::int64_t>(size)};
  t.ready = ready;
  host_.submit(channel, t, {.counted = counted});
}

void Issuer::write(fabric::ChannelIndex channel, const Continuation& then, std::uint64_t address,
                   const device::Content& content, pcie::Purpose purpose, Instant ready) {
  fabric::Transaction t = then.asked;
  t.cookie = open(then);
  t.purpose = purpose;
  t.notify_requester = then.part == Continuation::Part::admin;
  t.address = address;
  t.bytes = Bytes{static_cast<std::int64_t>(content.bytes.size())};
  t.ready = ready;
  host_.submit(channel, t, content);
}

const Continuation* Issuer::find(std::uint64_t cookie) const {
  const auto place = static_cast<std::uint32_t>(cookie);
  if (place >= entries_.size()) return nullptr;
  const auto& entry = entries_[place];
  return entry.taken && entry.use == cookie >> 32 ? &entry.then : nullptr;
}

std::optional<Continuation> Issuer::end(std::uint64_t cookie) {
  const auto* found = find(cookie);
  if (found == nullptr) return std::nullopt;
  const auto then = *found;
  const auto place = static_cast<std::uint32_t>(cookie);
  entries_[place].taken = false;
  free_.push_back(place);
  --under_way_;
  if (entries_[place].fence != fence_) --before_fence_;
  return then;
}

void Issuer::fence() {
  ++fence_;
  before_fence_ = under_way_;
}

void Issuer::clear() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].taken) continue;
    entries_[i].taken = false;
    free_.push_back(static_cast<std::uint32_t>(i));
  }
  under_way_ = before_fence_ = 0;
}

}  // namespace peerpath::nic::gve
