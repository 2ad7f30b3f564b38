#include "peerpath/scenario/events/wrong_requester_id.hpp"

#include "scenario/event_check.hpp"

namespace peerpath::scenario::event {

std::string WrongRequesterId::text(const std::string& device) const {
  if (transfers == 0) return "payload of " + device + " carries a requester ID that nobody has from now on";
  return std::to_string(transfers) + " transfers of " + device + " carry a requester ID that nobody has";
}

void WrongRequesterId::check(const Event&, EventCheck& check) const {
  check.needs_memory_of_iommu();
  if (check.needs_function(", which asks for nothing by DMA"))
    check.needs_payload(false, ", which moves no payload here: nothing would carry that ID");
}

}  // namespace peerpath::scenario::event
