#include "peerpath/scenario/events/port_reset.hpp"

#include "peerpath/scenario/describe.hpp"
#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string PortReset::text(const std::string& device) const {
  return "the port above " + device + " is reset; it does not respond for " + to_text(outage);
}

void PortReset::check(const Event&, EventCheck& check) const {
  check.needs_function("; name the device below the port");
  if (outage == Duration{0}) check.add("outage", "a reset takes time; add \"outage\"");
  check.needs_link();
}

}  // namespace peerpath::scenario::event
