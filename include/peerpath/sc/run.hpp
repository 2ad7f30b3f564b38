// Runs a scenario on the SystemC model.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "peerpath/fabric/fabric.hpp"
#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::sc {

/// How far a run is.
struct Progress {
  Duration simulated{};
  Duration total{};  ///< warm-up and measured window
};

/// How to run; nothing here changes results.
struct RunOptions {
  fabric::Mode mode = fabric::Mode::train;
  std::optional<Duration> quantum{};                    ///< instead of the scenario's
  std::vector<std::filesystem::path> captures{};        ///< by traffic entry, as scenario::Loaded has them
  std::function<void(const Progress&)> progress{};      ///< called about ten times a second of wall time
  const std::atomic<bool>* stop = nullptr;              ///< set: the run ends soon, its results are marked incomplete
  fabric::TlpObserver* trace = nullptr;                 ///< sees every TLP on every link, warm-up included
  std::function<void(const fabric::Topology&)> built{}; ///< before anything runs: names of nodes and links, for a trace
};

/// Simulates warm-up and measured window of a scenario that `scenario::check` accepts and `scenario::complete` has filled
/// in. The result still has to go through observe::finish, which derives metrics, bottleneck and verdicts.
///
/// SystemC's kernel is one a process and cannot start again, so this may be called once in a process.
observe::Results run_model(const scenario::Scenario& scenario, const RunOptions& options = {});

}  // namespace peerpath::sc
