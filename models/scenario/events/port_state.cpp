#include "peerpath/scenario/events/port_state.hpp"

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string PortDown::text(const std::string& device) {
  return "the Ethernet port of " + device + " loses its carrier";
}
std::string PortUp::text(const std::string& device) {
  return "the Ethernet port of " + device + " has its carrier back";
}

void PortDown::check(const Event&, EventCheck& check) { check.needs_nic(); }
void PortUp::check(const Event&, EventCheck& check) { check.needs_nic(); }

}  // namespace peerpath::scenario::event
