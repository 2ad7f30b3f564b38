// How to run a scenario. Nothing here changes its results.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "observe/trace/tracer.hpp"
#include "peerpath/platform/run.hpp"
#include "platform/network/ranks.hpp"

namespace peerpath::study {

/// Traces that a run writes, and the folder for them.
struct Tracing {
  trace::Request request;
  std::filesystem::path folder;
};

/// Drives a scenario of PCIe: platform::run, or SystemC's event queue.
using Loop = tl::expected<observe::Results, Problems> (*)(const scenario::Scenario&, const platform::RunOptions&);

struct RunRequest {
  std::function<void(Duration simulated, Duration total)> progress{};  ///< called about ten times a second
  std::function<bool()> stop{};                                        ///< asked as often; true ends the run
  std::optional<Tracing> tracing{};

  // For PCIe; other kinds of scenario have none of it.
  Loop loop = &platform::run;
  fabric::Mode mode = fabric::Mode::train;
  bool check_protocol = false;
  std::function<void(const observe::Scene&)> built{};  ///< called before anything runs
  /// Is shown each device before anything runs; what it returns stands in the device's place.
  std::function<device::Endpoint&(device::Endpoint&, const device::Place&)> guide{};

  network_run::Ranks* ranks = nullptr;  ///< processes that run a network together; the outcome is rank 0's
};

}  // namespace peerpath::study
