#include "network/event_slice.hpp"

#include <algorithm>
#include <bit>

namespace peerpath::network {
namespace {

constexpr std::size_t few = 48;  ///< of which comparisons are cheaper
constexpr int digit_bits = 8;
constexpr std::uint64_t digits = 1 << digit_bits;

}  // namespace

void EventSlice::take(std::vector<Event>& events) {
  at_ = 0;
  if (events.size() < few) {
    events_.swap(events);
    std::ranges::sort(events_, before);
    events.clear();
    return;
  }
  const int bits = fill_keys(events);
  for (int shift = 0; shift < bits; shift += digit_bits) sort_by_digit(shift);
  events_.resize(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) events_[i] = events[entries_[i].from];
  events.clear();
}

/// The width of the keys.
int EventSlice::fill_keys(const std::vector<Event>& events) {
  Instant first = never;
  Instant last{};
  std::uint64_t last_place = 0;
  for (const auto& event : events) {
    first = std::min(first, event.when);
    last = std::max(last, event.when);
    if (event.has_place()) last_place = std::max(last_place, event.order);
  }
  const auto behind = last_place + 1;  // what has no place stays in its order
  const int place_bits = std::bit_width(behind);
  entries_.resize(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& event = events[i];
    const auto since = static_cast<std::uint64_t>((event.when - first).count());
    entries_[i] = {since << place_bits | (event.has_place() ? event.order : behind), i};
  }
  return place_bits + std::bit_width(static_cast<std::uint64_t>((last - first).count()));
}

/// Keeps the order of entries that have the same digit.
void EventSlice::sort_by_digit(int shift) {
  std::array<std::uint32_t, digits> place{};
  for (const auto& entry : entries_) ++place[entry.key >> shift & (digits - 1)];
  std::uint32_t sum = 0;
  for (auto& each : place) {
    const auto count = each;
    each = sum;
    sum += count;
  }
  moved_.resize(entries_.size());
  for (const auto& entry : entries_) moved_[place[entry.key >> shift & (digits - 1)]++] = entry;
  entries_.swap(moved_);
}

}  // namespace peerpath::network
