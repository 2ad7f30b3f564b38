// One run of a scenario on the model, from its devices to its results. Somebody else drives its reactor.
#pragma once

#include <chrono>

#include "peerpath/platform/run.hpp"
#include "platform/counts.hpp"
#include "platform/hardware_events.hpp"
#include "platform/run_watch.hpp"
#include "platform/traffic_setup.hpp"
#include "platform/watchdog.hpp"
#include "platform/window_search.hpp"

namespace peerpath::platform {

/// Who drives it lets the reactor come to `end` at most, and asks `over` whenever it has done something: the run ends
/// when the measured window has been found and is over (window_search.hpp). Scenario and options
/// must outlive the run.
class ModelRun {
 public:
  ModelRun(const scenario::Scenario& scenario, const RunOptions& options);
  ModelRun(const ModelRun&) = delete;
  ModelRun& operator=(const ModelRun&) = delete;

  /// Why it cannot be run, if anything.
  Problems problems() const;
  /// Makes the fabric, if there are no problems. Returns what those who wait for it (RunOptions::built) find wrong.
  Problems build();

  loop::Reactor& reactor() { return platform_.domain.reactor(); }
  Instant end() const { return end_; }
  Duration quantum() const { return options_.quantum.value_or(scenario_.run.quantum); }

  /// Whether the run is to end here, at `now`: it is over, of a deadlock, or because somebody wants it to. Tells of
  /// progress, and asks for a stop, about ten times a second of wall time.
  bool over(Instant now) {
    return finished_ || watchdog_.found() || stopped_ || (stopped_ = meter_.enough()) ||
           (++asked_ % steps_per_look == 0 && is_to_stop(now));
  }

  /// What came of it, when everything until `now` has happened.
  observe::Results results(Instant now);

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr int steps_per_look = 16;  ///< at the wall clock: between two looks pass microseconds

  observe::Scene scene() const;
  void at_edge(Instant now);
  bool is_to_stop(Instant now);
  bool has_ended() const;

  const scenario::Scenario& scenario_;
  const RunOptions& options_;
  Instant end_;  ///< at the latest
  std::vector<WatchedEntry> entries_;
  WindowSearch search_;
  Meter meter_;
  Platform platform_;
  HardwareEvents events_;
  Watchdog watchdog_;
  TrafficSetup traffic_;
  Counts before_, after_;
  std::vector<Meter::Totals> totals_before_;  ///< when the window began
  Clock::time_point reported_ = Clock::now();
  int asked_ = 0;
  bool stopped_ = false;
  bool finished_ = false;  ///< all counts are those of the window's end
};

}  // namespace peerpath::platform
