// The event list of the event-driven reference: a 4-ary heap, because it measured faster than a binary one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "peerpath/base/time.hpp"
#include "peerpath/pcie/tlp.hpp"

namespace peerpath::fabric {

enum class EventKind : std::uint8_t { eligible, line_free, left, arrival, taken_in, credit, timeout, arbitrate };

/// Something that happens at a time. Arbitrations come after all else of their instant: the lowest bit of the key.
/// What other events of one instant do does not depend on their order.
struct Event {
  std::uint64_t key = 0;
  EventKind kind{};
  pcie::TlpClass tlp_class{};  ///< of `taken_in` and `credit`
  std::uint16_t units = 0;     ///< of `credit`
  std::uint32_t place = 0;     ///< transmitter, node, or node * 64 + slot
  void* request = nullptr;     ///< of `timeout`

  Instant when() const { return Instant{Duration{static_cast<std::int64_t>(key >> 1)}}; }
  static constexpr std::uint64_t key_at(Instant t, bool arbitration) {
    return 2 * static_cast<std::uint64_t>(femtoseconds(t)) + (arbitration ? 1 : 0);
  }
};

/// Events, earliest first.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  const Event& top() const { return heap_.front(); }

  void push(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    for (; hole > 0 && event.key < heap_[(hole - 1) / 4].key; hole = (hole - 1) / 4) heap_[hole] = heap_[(hole - 1) / 4];
    heap_[hole] = event;
  }

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return first;
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 4 * hole + 1) {
      std::size_t least = child;
      for (std::size_t c = child + 1; c < std::min(child + 4, size); ++c)
        if (heap_[c].key < heap_[least].key) least = c;
      if (last.key <= heap_[least].key) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = last;
    return first;
  }

 private:
  std::vector<Event> heap_;
};

}  // namespace peerpath::fabric
