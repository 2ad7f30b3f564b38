// The queue of packet events: slices of time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/event_heap.hpp"
#include "network/event_slice.hpp"

namespace peerpath::network {

/// A priority queue of events. At one instant those that have a place come first, by their places, and then the others
/// in the order of pushing. Time is cut into slices, each sorted when it begins (a calendar queue, Brown 1988); what is
/// pushed into a slice that has begun, and what is due after the last, lies in heaps.
class EventQueue {
 public:
  /// When the earliest event is due.
  Instant next() {
    const auto* event = first();
    return event != nullptr ? event->when : never;
  }
  /// An event that will come soon, some places after the next one, if one is known.
  const Event* ahead(std::size_t places) const { return slice_.ahead(places); }

  /// Visits all pending events, in no particular order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    slice_.for_each(visit);
    late_.for_each(visit);
    far_.for_each(visit);
    for (const auto& slice : soon_)
      for (const auto& event : slice) visit(event);
  }

  void push(Instant when, std::uint64_t what) { insert({when, Event::without_place | pushed_++, what}); }
  /// Two of one instant have different places.
  void push_at(std::uint64_t place, Instant when, std::uint64_t what) { insert({when, place, what}); }
  /// The earliest event, of a queue that has one.
  Event pop() {
    const auto event = *first();
    if (from_ == Part::slice)
      slice_.pop();
    else
      (from_ == Part::late ? late_ : far_).pop();
    begun_ = std::max(begun_, slice_of(event.when));
    return event;
  }

 private:
  static constexpr int slice_bits = 24;         ///< 2^24 fs, 17 ns: a small part of a packet's time on its way
  static constexpr std::uint64_t slices = 256;  ///< 4 us ahead; what is due later are timers
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  enum class Part : std::uint8_t { slice, late, far };

  static std::uint64_t slice_of(Instant when) {
    return static_cast<std::uint64_t>(when.time_since_epoch().count()) >> slice_bits;
  }

  void insert(const Event& event) {
    const auto slice = slice_of(event.when);
    if (slice <= begun_) return late_.insert(event);
    if (slice - begun_ >= slices) return far_.insert(event);
    const auto at = slice % slices;
    soon_[at].push_back(event);
    filled_[at / 64] |= std::uint64_t{1} << at % 64;
  }

  /// The earliest event; `from_` says where it is.
  const Event* first() {
    if (slice_.empty() && late_.empty()) begin_next_slice();
    const Event* earliest = nullptr;
    const auto consider = [&](const auto& part, Part name) {
      if (part.empty() || (earliest != nullptr && !before(part.front(), *earliest))) return;
      earliest = &part.front();
      from_ = name;
    };
    consider(slice_, Part::slice);
    consider(late_, Part::late);
    consider(far_, Part::far);
    return earliest;
  }

  /// Unless what is far comes before.
  void begin_next_slice() {
    const auto ahead = slices_to_next();
    if (ahead == none || (!far_.empty() && slice_of(far_.front().when) < begun_ + ahead)) return;
    begun_ += ahead;
    const auto at = begun_ % slices;
    slice_.take(soon_[at]);
    filled_[at / 64] &= ~(std::uint64_t{1} << at % 64);
  }

  /// To the first slice with events.
  std::uint64_t slices_to_next() const {
    for (std::uint64_t ahead = 1; ahead < slices;) {
      const auto at = (begun_ + ahead) % slices;
      const auto word = filled_[at / 64] >> at % 64;
      if (word != 0) return ahead + static_cast<std::uint64_t>(std::countr_zero(word));
      ahead += 64 - at % 64;
    }
    return none;
  }

  EventSlice slice_;
  EventHeap late_;                               ///< pushed when their slice had begun
  std::array<std::vector<Event>, slices> soon_;  ///< by the slice's number modulo their number
  std::array<std::uint64_t, slices / 64> filled_{};
  EventHeap far_;
  std::uint64_t begun_ = 0, pushed_ = 0;
  Part from_ = Part::slice;
};

}  // namespace peerpath::network
