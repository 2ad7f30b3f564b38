#include <algorithm>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/window.hpp"
#include "scenario/check/event_check.hpp"
#include "scenario/document.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::scenario {
namespace {

// On the emulator `run.measure` does not apply: traffic with `bytes` ends when its bytes have been moved.
void check_time(const Event& event, const Scenario& scenario, EventCheck& check) {
  if (event.at < Duration{0}) check.add("at", "is negative; the simulation starts at 0");
  const auto end = longest_run(scenario);
  const bool ends_by_itself =
      std::ranges::all_of(scenario.traffic, [](const auto& t) { return t.ends_after() > Bytes{0}; });
  const bool has_time = std::visit([]<class What>(const What&) { return !event::HappensToFrame<What>; }, event.what);
  if (has_time && event.at >= end && !ends_by_itself)
    check.add("at", to_text(event.at) + " is after the end of the run, at " + to_text(end) +
                        " (run.warmup + run.measure); it would have no effect");
  if (outage_of(event) > Duration::max() - event.at)
    check.add("outage", "ends after the longest simulated time, about 2.5 h");
}

}  // namespace

void check_events(const Scenario& scenario, const Tree& tree, Problems& out) {
  for (std::size_t i = 0; i < scenario.events.size(); ++i) {
    const Event& event = scenario.events[i];
    const auto at = join("/events", i);
    const Device* device = tree.find(event.device);
    if (device == nullptr) {
      out.push_back({"", 0, 0, at + "/device", no_device(tree, event.device)});
      continue;
    }
    EventCheck check{scenario, tree, at, *device, out};
    check_time(event, scenario, check);
    std::visit([&](const auto& what) { what.check(event, check); }, event.what);
  }
}

std::string to_text(const Event& event) {
  return std::visit([&](const auto& what) { return what.text(event.device); }, event.what);
}

}  // namespace peerpath::scenario
