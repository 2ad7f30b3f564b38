#include "peerpath/scenario/events/surprise_down.hpp"

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string SurpriseDown::text(const std::string& device) { return device + " falls off the bus"; }

void SurpriseDown::check(const Event&, EventCheck& check) {
  check.needs_function("; name the device below the port");
  check.needs_link();
}

}  // namespace peerpath::scenario::event
