#include "peerpath/scenario/events/bit_error.hpp"

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string BitError::text(const std::string& device) const {
  return "a bit error on the link above " + device + ", way " + std::string{name_of(way)};
}

void BitError::check(const Event&, EventCheck& check) const { check.needs_link(); }

}  // namespace peerpath::scenario::event
