#include "platform/watchdog.hpp"

#include "fabric/vocabulary/deadlock.hpp"
#include "peerpath/scenario/window.hpp"

namespace peerpath::platform {

Watchdog::Watchdog(const scenario::Scenario& scenario, Platform& platform)
    : platform_{platform}, end_{scenario::longest_run(scenario)} {
  period_ = std::min(scenario.run.watchdog, (end_ - Instant{}) / 2);
  for (const auto& event : scenario.events) last_event_ = std::max(last_event_, Instant{event.at + outage_of(event)});
  look_at(Instant{period_});
}

void Watchdog::look_at(Instant when) {
  if (period_ == Duration{0} || when > end_) return;
  platform_.domain.reactor().at(when, [this, when](const fabric::Fabric& fabric) { look(when, fabric); });
}

void Watchdog::look(Instant when, const fabric::Fabric& fabric) {
  auto now = fabric.waiting();
  const auto& topology = platform_.domain.topology();
  if (when >= last_event_) {
    const auto deadlock = fabric::find_deadlock(topology, fabric::unmoved(earlier_, now));
    if (!deadlock.blocked.empty()) {
      auto& found = found_.emplace(observe::DeadlockResult{.found = when, .blocked = {}, .cycle = deadlock.cycle});
      for (const auto& waiting : deadlock.blocked) {
        const auto text = fabric::describe(topology, waiting);
        found.blocked.push_back({text.place, text.tlp, text.waits_for});
      }
      return;
    }
  }
  earlier_ = std::move(now);
  look_at(when + period_);
}

}  // namespace peerpath::platform
