// Looks from time to time whether anything in the fabric waits for what will never come.
#pragma once

#include <optional>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "platform/platform.hpp"

namespace peerpath::platform {

/// Compares what waits in the fabric every `run.watchdog` (half the run if that is shorter). What has not moved in
/// between and waits in a circle or for lost credits, with no event of the scenario to come, is found, and the run
/// is to end. Made before the domain is built.
class Watchdog {
 public:
  Watchdog(const scenario::Scenario& scenario, Platform& platform);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  const std::optional<observe::DeadlockResult>& found() const { return found_; }

 private:
  void look_at(Instant when);
  void look(Instant when, const fabric::Fabric& fabric);

  Platform& platform_;
  Duration period_;
  Instant last_event_{}, end_;
  std::vector<fabric::Waiting> earlier_;
  std::optional<observe::DeadlockResult> found_;
};

}  // namespace peerpath::platform
