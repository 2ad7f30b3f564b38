#include "peerpath/scenario/events/poison.hpp"

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string Poison::text(const std::string& device) const {
  return std::to_string(writes) + " writes of " + device + " are poisoned";
}

void Poison::check(const Event&, EventCheck& check) const {
  if (check.needs_function(", which does no DMA"))
    check.needs_payload(true, ", which writes no payload in this scenario; the event would have no effect");
}

}  // namespace peerpath::scenario::event
