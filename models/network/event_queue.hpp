// The queue of packet events: a heap of small values with four children a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "peerpath/base/time.hpp"

namespace peerpath::network {

/// Something that happens at a time. `order` breaks ties: those pushed first come first.
struct Event {
  Instant when{};
  std::uint64_t order = 0;
  std::uint32_t kind = 0;
  std::uint32_t subject = 0;
  std::uint64_t detail = 0;
};

/// A priority queue of events. Four children share a cache line and a half, and the heap is half as deep as a binary
/// one.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  Instant next() const { return heap_.empty() ? never : heap_.front().when; }

  void push(Instant when, std::uint32_t kind, std::uint32_t subject, std::uint64_t detail = 0) {
    const Event event{when, pushed_++, kind, subject, detail};
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

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  static bool before(const Event& a, const Event& b) { return a.when != b.when ? a.when < b.when : a.order < b.order; }

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
