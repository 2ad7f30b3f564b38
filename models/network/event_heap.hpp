// A heap of small events with four children a node.
#pragma once

#include <cstddef>
#include <vector>

#include "network/event.hpp"

namespace peerpath::network {

/// The earliest event first. Four children share a cache line and a half, and the heap is half as deep as a binary one.
class EventHeap {
 public:
  bool empty() const { return events_.empty(); }
  const Event& front() const { return events_.front(); }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& event : events_) visit(event);
  }

  void insert(const Event& event) {
    std::size_t hole = events_.size();
    events_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!before(event, events_[parent])) break;
      events_[hole] = events_[parent];
      hole = parent;
    }
    events_[hole] = event;
  }

  void pop() {
    const Event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) sink(last);
  }

 private:
  void sink(const Event& event) {
    std::size_t hole = 0;
    const std::size_t count = events_.size();
    while (true) {
      const std::size_t first = hole * 4 + 1;
      if (first >= count) break;
      std::size_t least = first;
      const std::size_t end = first + 4 < count ? first + 4 : count;
      for (std::size_t child = first + 1; child < end; ++child)
        if (before(events_[child], events_[least])) least = child;
      if (!before(events_[least], event)) break;
      events_[hole] = events_[least];
      hole = least;
    }
    events_[hole] = event;
  }

  std::vector<Event> events_;
};

}  // namespace peerpath::network
