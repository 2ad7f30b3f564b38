// How much of a run is warm-up and how much counts: given, usual, or found while it runs.
#pragma once

#include <algorithm>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// Where nothing is given and nothing can be found.
inline constexpr Duration usual_warmup = 20us, usual_measure = 200us;

/// Whether the traffic may come to a steady state: it goes on for ever, repeats itself, and no event disturbs it.
inline bool can_be_steady(const Scenario& scenario) {
  return scenario.events.empty() && !scenario.traffic.empty() &&
         std::ranges::none_of(scenario.traffic,
                              [](const Traffic& t) { return t.replays() || t.ends_after() > Bytes{0}; });
}

/// Whether a run of the scenario looks for its warm-up, its measured window or both.
inline bool finds_window(const Scenario& scenario) {
  return can_be_steady(scenario) && !(scenario.run.warmup && scenario.run.measure);
}

/// Warm-up of a run that does not look for it.
inline Duration fixed_warmup(const Scenario& scenario) {
  const bool ends = std::ranges::any_of(scenario.traffic, [](const Traffic& t) { return t.ends_after() > Bytes{0}; });
  return scenario.run.warmup.value_or(ends ? Duration{0} : usual_warmup);
}

/// Measured window of a run that does not look for it.
inline Duration fixed_measure(const Scenario& scenario) { return scenario.run.measure.value_or(usual_measure); }

/// When a run ends at the latest.
inline Duration longest_run(const Scenario& scenario) {
  const auto& run = scenario.run;
  if (!finds_window(scenario)) return fixed_warmup(scenario) + fixed_measure(scenario);
  return run.measure ? run.at_most + *run.measure
                     : std::max(run.at_most, run.warmup.value_or(Duration{0}) + usual_measure);
}

}  // namespace peerpath::scenario
