#include "peerpath/scenario/events/link_state.hpp"

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string LinkDown::text(const std::string& device) { return "the link above " + device + " goes down"; }
std::string LinkUp::text(const std::string& device) { return "the link above " + device + " comes up"; }

void LinkDown::check(const Event&, EventCheck& check) { check.needs_link(); }
void LinkUp::check(const Event&, EventCheck& check) { check.needs_link(); }

}  // namespace peerpath::scenario::event
