// The proof of a bottleneck: the run again, with one thing doubled or halved.
#pragma once

#include <functional>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::cli {

struct WhatIfOptions {
  std::size_t suspects = 10;
  int jobs = 1;  ///< runs at a time
  std::function<void(std::size_t done, std::size_t all)> progress{};
  std::function<bool()> stop{};
};

/// Runs the scenario anew with each of the most suspicious resources, and each value that is assumed, doubled and
/// halved, and puts into `results` what came of it. Then their sentence names what the reruns show to hold traffic
/// back, and expectations about it are judged anew. `results` are those of the scenario, finished. False if it was
/// stopped.
///
/// Method: causal profiling by speeding up what is to be judged (C. Curtsinger, E. Berger, "Coz: finding code that
/// counts with causal profiling", SOSP 2015); a simulation can really do it.
bool prove(observe::Results& results, const scenario::Loaded& loaded, const WhatIfOptions& options);

}  // namespace peerpath::cli
