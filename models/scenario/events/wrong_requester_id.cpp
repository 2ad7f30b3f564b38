#include "peerpath/scenario/events/wrong_requester_id.hpp"

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string WrongRequesterId::text(const std::string& device) const {
  if (transfers == 0) return "payload of " + device + " carries an unknown requester ID from now on";
  return std::to_string(transfers) + " transfers of " + device + " carry an unknown requester ID";
}

void WrongRequesterId::check(const Event&, EventCheck& check) const {
  check.needs_memory_of_iommu();
  if (check.needs_function(", which does no DMA"))
    check.needs_payload(false, ", which moves no payload in this scenario; the event would have no effect");
}

}  // namespace peerpath::scenario::event
