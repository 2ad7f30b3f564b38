// The queue of packet events: a heap of small values with four children a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "peerpath/base/time.hpp"

namespace peerpath::network {

/// Something that happens at a time. `order` breaks ties.
struct Event {
  Instant when{};
  std::uint64_t order = 0;
  std::uint64_t what = 0;  ///< its user's words
};

/// A priority queue of events. At one instant those that have a place come first, by their places, and then the others
/// in the order of pushing. Four children share a cache line and a half, and the heap is half as deep as a binary one.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  Instant next() const { return heap_.empty() ? never : heap_.front().when; }

  /// Of an event that has a place the order says which; nothing else does.
  static constexpr std::uint64_t without_place = std::uint64_t{1} << 63;
  static bool has_place(const Event& event) { return event.order < without_place; }

  void push(Instant when, std::uint64_t what) { insert({when, without_place | pushed_++, what}); }
  /// Two of one instant have different places.
  void push_at(std::uint64_t place, Instant when, std::uint64_t what) { insert({when, place, what}); }
  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  static bool before(const Event& a, const Event& b) { return a.when != b.when ? a.when < b.when : a.order < b.order; }

  void insert(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!before(event, heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  void sink(const Event& event) {
    const std::size_t count = heap_.size();
    std::size_t hole = 0;
    while (true) {
      const std::size_t first = hole * 4 + 1;
      if (first >= count) break;
      std::size_t least = first;
      const std::size_t end = first + 4 < count ? first + 4 : count;
      for (std::size_t child = first + 1; child < end; ++child)
        if (before(heap_[child], heap_[least])) least = child;
      if (!before(heap_[least], event)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }

  std::vector<Event> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace peerpath::network
