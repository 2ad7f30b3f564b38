// A scenario's events as commands to a running QEMU.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::emulator {

/// What is to be sent to QEMU's monitor, and when: wall clock from the first payload that crossed a link.
struct TimedCommands {
  Duration at{};
  std::string ledger;                 ///< the command that reads the ledger as it is before
  std::vector<std::string> commands;  ///< JSON, see Monitor
};

/// In order of time. Events that happen to a frame are none of them: the NIC knows those from the start, see Machine.
/// Problems name events that the emulator cannot do.
tl::expected<std::vector<TimedCommands>, Problems> make_events(const scenario::Scenario& scenario);

}  // namespace peerpath::emulator
