// The proof of a bottleneck: the run again, with one thing doubled or halved.
#pragma once

#include <functional>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/load.hpp"
#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

struct WhatIfOptions {
  std::size_t suspects = 10;
  int jobs = 1;  ///< runs at a time
  std::function<void(std::size_t done, std::size_t all)> progress{};
  std::function<bool()> stop{};
};

/// Runs the scenario anew with each of the most suspicious resources, and each value that is assumed, doubled and
/// halved, and puts into `results` how the goodput in bytes and the latency of each entry changed. A rerun finds its
/// window as the run did; a change of goodput within its 95 % interval counts as none. Then the sentence names for each
/// entry what the reruns show to limit it, and expectations about it are judged anew. `results` are those of the
/// scenario, finished. False if it was stopped.
///
/// Method: causal profiling by speeding up what is to be judged (C. Curtsinger, E. Berger, "Coz: finding code that
/// counts with causal profiling", SOSP 2015); a simulation can really do it.
bool prove(observe::Results& results, const scenario::Loaded& loaded, const WhatIfOptions& options);

/// Calls `prove_it`, which an interrupt stops, with a line for who watches.
bool watch_reruns(int jobs, const Terminal& terminal, const std::function<bool(const WhatIfOptions&)>& prove_it);

}  // namespace peerpath::cli
