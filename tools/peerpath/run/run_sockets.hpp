// `peerpath run --on hardware` of sockets of GPU programs: they need GPUs of one machine, and nobody at another one.
#pragma once

#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "validation/gpunet/run/trials.hpp"

namespace peerpath::cli {

/// Whether all traffic is of the kind gpunet.
bool is_of_sockets(const scenario::Scenario& scenario);

/// Why validation/gpunet does not play the scenario on hardware, a sentence for each entry.
std::vector<std::string> not_played(const scenario::Scenario& scenario);

/// What was measured, with metrics and the verdicts of those expectations that are about the entries themselves.
struct Played {
  observe::Results results;
  std::vector<std::string> unjudged;  ///< metrics of expectations that only the model has
  bool right = true;                  ///< all content was as sent
};

/// Plays each entry: echo `rounds` times, a stream of a tenth of a gigabyte. `open` is asked for the scenario's GPUs by
/// their number in its list of devices; `threads` are a block's, four times as many where
/// there are a few streams.
Played play_sockets(const scenario::Scenario& scenario, const gpunet::run::OpenNode& open, unsigned threads,
                    int rounds);

/// The scenario on the GPUs of this machine.
Exit run_sockets(const scenario::Scenario& scenario, bool json, const Terminal& terminal);

}  // namespace peerpath::cli
