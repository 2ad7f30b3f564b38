// Runs a scenario on the plain event loop: any number of runs in one process, one after the other or in several
// threads.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "peerpath/device/place.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/fabric/tlp_listener.hpp"
#include "peerpath/observe/results.hpp"
#include "peerpath/observe/scene.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::platform {

/// How far a run is.
struct Progress {
  Duration simulated{};
  Duration total{};  ///< warm-up and measured window
};

/// How to run; nothing here changes results.
struct RunOptions {
  fabric::Mode mode = fabric::Mode::train;
  std::optional<Duration> quantum{};                ///< instead of the scenario's
  std::vector<std::filesystem::path> captures{};    ///< by traffic entry, as scenario::Loaded has them
  std::function<void(const Progress&)> progress{};  ///< called about ten times a second of wall time
  std::function<bool()> stop{};                     ///< asked as often; true: the run ends, marked incomplete
  /// Is told of each transfer of `read`, `write`, `atomic` and `copy` entries that is over; true: the run ends here,
  /// marked incomplete.
  std::function<bool(std::size_t entry, Instant begin, Instant end)> transferred{};
  bool check_protocol = false;           ///< hold every TLP on every link against the protocol's rules
  fabric::TlpListener* trace = nullptr;  ///< is shown every TLP on every link, warm-up included
  /// Is called before anything runs, which it does not if there are problems.
  std::function<Problems(const observe::Scene&)> built{};
  /// Is shown each device before anything runs; what it returns stands in the device's place.
  std::function<device::Endpoint&(device::Endpoint&, const device::Place&)> guide{};
};

/// Simulates warm-up and measured window of a scenario that `scenario::check` accepts and `scenario::complete` has
/// filled in. The result still has to go through observe::finish, which derives metrics, bottleneck and verdicts.
///
/// Problems are those that only show when the platform is built: a capture that cannot be read, a combination of
/// traffic that no driver can do.
tl::expected<observe::Results, Problems> run(const scenario::Scenario& scenario, const RunOptions& options = {});

}  // namespace peerpath::platform
