// Runs a scenario on emulated hardware: QEMU's devices under an unmodified kernel, one guest.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "validation/emulator/equipment.hpp"

namespace peerpath::emulator {

struct RunOptions {
  std::filesystem::path folder;   ///< gets what the guest said, and QEMU's ledger
  std::filesystem::path trace{};  ///< gets a line for each access and each frame of the devices; empty: none
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string&)> console = [](const std::string&) {};
};

/// Why there are no results: the scenario asks for what the emulator has not (problems), or the guest failed (text).
struct RunFailure {
  Problems problems;
  std::string guest;
};

struct Outcome {
  observe::Results results;  ///< counts; `finish` derives the rest
  /// What every emulator run must come to, beside what the scenario expects: data validated, an untainted kernel.
  std::vector<observe::ExpectationResult> requirements;
};

tl::expected<Outcome, RunFailure> run_emulator(const scenario::Scenario& scenario, const Equipment& equipment,
                                               const RunOptions& options);

}  // namespace peerpath::emulator
