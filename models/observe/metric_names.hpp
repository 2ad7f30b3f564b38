// The names that a scenario's metrics will have, before it is run.
#pragma once

#include <vector>

#include "peerpath/base/problem.hpp"
#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::observe {

/// The metrics that a run of the scenario will have, with values of 0. Metrics of single devices (nic0.interrupts) are
/// not included.
std::vector<Metric> expected_metrics(const scenario::Scenario& scenario);

/// The problem of expectation `index`, with a suggestion out of `metrics`.
Problem unknown_metric(const scenario::Scenario& scenario, std::size_t index, const std::vector<Metric>& metrics);

}  // namespace peerpath::observe
