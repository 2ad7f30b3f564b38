// The events of a short slice of time, in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/event.hpp"

namespace peerpath::network {

/// Sorted once, by digits: with thousands of packets on their way comparisons cannot be predicted, and cost more than
/// all else that an event does. Large networks that run in step have hundreds of events in each instant.
class EventSlice {
 public:
  bool empty() const { return at_ == events_.size(); }
  const Event& front() const { return events_[at_]; }
  /// The event that comes so many places after the first; none: the slice ends before.
  const Event* ahead(std::size_t places) const {
    return at_ + places < events_.size() ? &events_[at_ + places] : nullptr;
  }
  void pop() { ++at_; }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = at_; i < events_.size(); ++i) visit(events_[i]);
  }

  /// When it is empty: takes the events of a slice, those of one instant without a place in the order of pushing, and
  /// leaves its memory in exchange.
  void take(std::vector<Event>& events);

 private:
  /// Where an event stands, and its time and place in one number.
  struct Entry {
    std::uint64_t key = 0;
    std::size_t from = 0;
  };
  int fill_keys(const std::vector<Event>& events);
  void sort_by_digit(int shift);

  std::vector<Event> events_;
  std::size_t at_ = 0;
  std::vector<Entry> entries_, moved_;
};

}  // namespace peerpath::network
