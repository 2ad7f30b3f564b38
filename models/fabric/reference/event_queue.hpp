// The event list of the event-driven reference: a 4-ary heap, because it measured faster than a binary one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "peerpath/base/time.hpp"

namespace peerpath::fabric {

enum class EventKind : std::uint8_t { eligible, line_free, dllp_due, left, taken_in, credit, timeout };

/// Something that happens at a time. What the events of one instant do does not depend on their order.
struct Event {
  Instant when{};
  EventKind kind{};
  std::uint8_t pool = 0;    ///< of `taken_in` and `credit`
  std::uint16_t units = 0;  ///< of `credit`
  std::uint32_t place = 0;  ///< transmitter, node, or node * 4096 + place
};
static_assert(sizeof(Event) == 16, "a larger one makes the heap slower");

/// Events, earliest first.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  const Event& top() const { return heap_.front(); }
  /// All that are to come, in no order.
  const std::vector<Event>& all() const { return heap_; }

  void push(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    Event* const heap = heap_.data();
    for (; hole > 0; hole = (hole - 1) / 4) {
      const Event& parent = heap[(hole - 1) / 4];
      if (event.when >= parent.when) break;
      heap[hole] = parent;
    }
    heap[hole] = event;
  }

  Event pop() {
    Event* const heap = heap_.data();
    const Event first = heap[0];
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 4 * hole + 1) {
      const std::size_t least = child + 4 <= size ? least_of_four(child) : least_of(child, size);
      if (last.when <= heap[least].when) break;
      heap[hole] = heap[least];
      hole = least;
    }
    heap[hole] = last;
    return first;
  }

 private:
  std::size_t least_of_four(std::size_t child) const {
    const Event* const four = heap_.data() + child;
    const std::size_t a = four[1].when < four[0].when ? 1 : 0, b = four[3].when < four[2].when ? 3 : 2;
    return child + (four[b].when < four[a].when ? b : a);
  }
  std::size_t least_of(std::size_t child, std::size_t end) const {
    std::size_t least = child;
    Instant when = heap_[child].when;
    while (++child < end)
      if (heap_[child].when < when) {
        least = child;
        when = heap_[child].when;
      }
    return least;
  }

  std::vector<Event> heap_;
};

}  // namespace peerpath::fabric
