// The proof of a bottleneck: the run again, with one thing doubled or halved.
#pragma once

#include <memory>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/load.hpp"
#include "study/outcome.hpp"

namespace peerpath::study {

/// Runs the scenario anew with each of the most suspicious resources, and each value that is assumed, doubled and
/// halved, and puts into `results` how the goodput in bytes and the latency of each entry changed. A rerun finds its
/// window as the run did; a change of goodput within its 95 % interval counts as none. Then the sentence names for each
/// entry what the reruns show to limit it, and expectations about it are judged anew. `results` are those of the
/// scenario, finished.
///
/// Method: causal profiling by speeding up what is to be judged (C. Curtsinger, E. Berger, "Coz: finding code that
/// counts with causal profiling", SOSP 2015); a simulation can really do it.
std::unique_ptr<Reruns> pcie_reruns(observe::Results& results, const scenario::Loaded& loaded, std::size_t suspects);

}  // namespace peerpath::study
