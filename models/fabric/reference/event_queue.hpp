// The event list of the event-driven reference.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
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

  bool operator>(const Event& other) const { return when > other.when; }
};
static_assert(sizeof(Event) == 16, "a larger one makes the heap slower");

/// Events, earliest first.
struct EventQueue : std::priority_queue<Event, std::vector<Event>, std::greater<>> {
  /// All that are to come, in no order.
  const std::vector<Event>& all() const { return c; }
};

}  // namespace peerpath::fabric
