#include "peerpath/scenario/events/answer.hpp"

#include <algorithm>

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string Answer::text(const std::string& device) const {
  return device + " answers " + std::string{name_of(status)} + " from now on";
}

void Answer::check(const Event& event, EventCheck& check) const {
  if (!std::holds_alternative<device::HostMemoryConfig>(check.device().config))
    check.needs_function(", which answers no requests for memory");
  if (status == pcie::Status::poisoned)
    check.add("status", "poisoned data is sent, not answered; use an event of kind \"poison\"");
  // Every device answers with success until an event changes that.
  const bool refused = std::ranges::any_of(check.scenario().events, [&](const Event& e) {
    const auto* earlier = e.as<Answer>();
    return earlier != nullptr && e.device == event.device && e.at <= event.at &&
           earlier->status != pcie::Status::success;
  });
  if (status == pcie::Status::success && !refused)
    check.add("status", "success is how " + event.device +
                            " answers anyway; give unsupported_request, completer_abort or no_answer");
}

}  // namespace peerpath::scenario::event
