#include "peerpath/scenario/events/retrain.hpp"

#include <algorithm>
#include <array>

#include "peerpath/scenario/describe.hpp"
#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string Retrain::text(const std::string& device) const {
  std::string to;
  if (generation != 0) to += " Gen" + std::to_string(generation);
  if (width != 0) to += " x" + std::to_string(width);
  const auto gone = outage > Duration{0} ? " after " + to_text(outage) + " in recovery" : "";
  return "the link above " + device + (to.empty() ? " is up again" : " trains to" + to) + gone;
}

void Retrain::check(const Event& event, EventCheck& check) const {
  check.needs_link();
  if (generation == 0 && width == 0 && outage == Duration{0})
    check.add("generation", "changes nothing; add \"generation\", \"width\" or \"outage\"");
  constexpr std::array lanes{0, 1, 2, 4, 8, 12, 16};
  if (std::ranges::find(lanes, width) == lanes.end())
    return check.add("width", std::to_string(width) + " lanes are not a PCIe link width; use 1, 2, 4, 8, 12 or 16");
  const Link* link = check.link_above();
  if (link == nullptr) return;
  // The configured width and generation are those that both ends and the board support.
  const auto wired = "the link above " + event.device + " is Gen" + std::to_string(link->generation) + " x" +
                     std::to_string(link->width) + " and cannot train higher: at most ";
  if (generation > link->generation) check.add("generation", wired + std::to_string(link->generation));
  if (width > link->width) check.add("width", wired + std::to_string(link->width));
}

}  // namespace peerpath::scenario::event
