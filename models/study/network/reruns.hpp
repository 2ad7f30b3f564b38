// The proof of a network's bottleneck: the run again, with one thing doubled or halved.
#pragma once

#include <memory>

#include "peerpath/scenario/load.hpp"
#include "platform/network/run.hpp"
#include "study/outcome.hpp"

namespace peerpath::study {

/// As `pcie_reruns`: reads the scenario anew with each change, as --set would make it, and runs it. Of an entry that
/// takes its time once (a collective, a job) "goodput" is the inverse of that time. `files` are the options that the
/// scenario was loaded with.
std::unique_ptr<Reruns> network_reruns(network_run::Outcome& outcome, const network_scenario::Loaded& loaded,
                                       const scenario::LoadOptions& files, std::size_t suspects);

}  // namespace peerpath::study
