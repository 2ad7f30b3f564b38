// Warm-up and measured window of a network's run: given, usual, or found by the run.
#pragma once

#include <algorithm>

#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_scenario {

/// The run ends by itself when all of its traffic has.
inline bool ends_by_itself(const NetworkScenario& s) {
  const bool played = !s.collectives.empty() || !s.traces.empty();
  return s.tcp.empty() ? s.rdma.empty() && played
                       : std::ranges::all_of(s.tcp, [](const Tcp& t) { return t.bytes > Bytes{0}; });
}

/// Whether the traffic may come to a steady state: it goes on for ever, alike, and no event disturbs it.
inline bool can_be_steady(const NetworkScenario& s) {
  const bool goes_on =
      std::ranges::all_of(s.rdma, [](const Rdma& r) { return r.messages == 0; }) &&
      std::ranges::all_of(s.tcp, [](const Tcp& t) { return t.bytes == Bytes{0} && t.keep_for == Duration{0}; });
  return goes_on && s.events.empty() && s.collectives.empty() && s.traces.empty();
}

/// Whether a run of the scenario looks for its warm-up, its measured window or both.
inline bool finds_window(const NetworkScenario& s) { return can_be_steady(s) && !(s.run.warmup && s.run.measure); }

/// Both for a run that does not look for them.
inline Duration fixed_warmup(const NetworkScenario& s) { return s.run.warmup.value_or(Duration{0}); }
inline Duration fixed_measure(const NetworkScenario& s) {
  constexpr Duration usual = std::chrono::milliseconds{1};
  return s.run.measure.value_or(ends_by_itself(s) ? s.run.at_most : usual);
}

/// When a run ends at the latest.
inline Duration longest_run(const NetworkScenario& s) {
  if (!finds_window(s)) return fixed_warmup(s) + fixed_measure(s);
  return s.run.measure ? s.run.at_most + *s.run.measure
                       : std::max(s.run.at_most, s.run.warmup.value_or(Duration{0}) * 2);
}

}  // namespace peerpath::network_scenario
