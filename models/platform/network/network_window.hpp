// Drives a network's run through its warm-up and measured window, which the search for steady state finds if they are
// not given.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "network/network.hpp"
#include "peerpath/observe/results.hpp"
#include "platform/network/parts.hpp"
#include "platform/window_search.hpp"
#include "scenario/network/window.hpp"

namespace peerpath::network_run {

/// An entry for the search. `late`: messages are posted at their own times, so they may pile up.
platform::WatchedEntry watched_entry(const std::string& name, bool late, bool has_latency);
/// The buffers of each switch, in the order of `switch_levels`.
std::vector<platform::WatchedBacklog> watched_switches(const network::Graph& graph, int mtu);
/// Bytes queued in each switch of this part.
std::vector<std::int64_t> switch_levels(const network::Network& network);

/// Actions of a run on its way.
struct Course {
  /// Returns until when all has happened; before `until`: the run is to end there.
  std::function<Instant(Instant until)> advance{};
  /// Everything has ended by itself.
  std::function<bool()> over{};
  /// Called at regular steps within the window; returns true to end the run.
  std::function<bool(Instant now)> step{};
  /// All counts, of all ranks together.
  std::function<platform::Reading(Instant now)> read{};
  /// The window begins, or begins anew.
  std::function<void(Instant now)> begin{};
};

/// Returns when the run ended.
Instant run_course(const network_scenario::NetworkScenario& s, platform::WindowSearch& search, const Course& course);

platform::WindowPlan window_plan(const network_scenario::NetworkScenario& s);

/// Adds the window, intervals and warnings to the results. `pooled`: all latencies of the window.
void report_window(const network_scenario::NetworkScenario& s, const platform::WindowSearch& search,
                   const platform::Steadiness::Pooled& pooled, Duration warmup, Duration window,
                   observe::Results& results);

}  // namespace peerpath::network_run
