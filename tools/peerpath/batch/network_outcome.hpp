// One run of a network scenario, as `test` keeps it.
#pragma once

#include <functional>

#include "scenario/network/load.hpp"
#include "tools/peerpath/batch/outcome.hpp"

namespace peerpath::cli {

/// Runs the scenario in this thread and judges it.
Outcome outcome_of(const network_scenario::Loaded& loaded, const std::function<bool()>& stop);

}  // namespace peerpath::cli
