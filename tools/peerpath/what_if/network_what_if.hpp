// The proof of a network's bottleneck: the run again, with one thing doubled or halved.
#pragma once

#include "peerpath/scenario/load.hpp"
#include "platform/network/run.hpp"
#include "tools/peerpath/what_if/what_if.hpp"

namespace peerpath::cli {

/// As `prove` of PCIe: reads the scenario anew with each change, as --set would make it, and runs it. Of an entry that
/// takes its time once (a collective, a job) "goodput" is the inverse of that time. False if it was stopped.
bool prove_network(network_run::Outcome& outcome, const network_scenario::Loaded& loaded,
                   const scenario::LoadOptions& files, const WhatIfOptions& options);

}  // namespace peerpath::cli
