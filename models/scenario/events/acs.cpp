#include "peerpath/scenario/events/acs.hpp"

#include "core/pcie/acs.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string Acs::text(const std::string& device) const {
  return "ACS of " + device + ": " + pcie::acs::to_string(pcie::acs::control_of(acs));
}

void Acs::check(const Event&, EventCheck& check) const {
  if (!has_ports(check.device()) && check.link_above() == nullptr)
    check.add("device", what_is(check.device()) + ", which is not below any port");
  check.needs_memory("requests redirected by ACS are answered at the memory of the root complex");
  if (const auto why = contradiction(acs)) check.add("acs", *why);
}

}  // namespace peerpath::scenario::event
