// Turns counts into answers: metrics, the way of the payload, the bottleneck and verdicts are all derived here.
#pragma once

#include "peerpath/base/problem.hpp"
#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::observe {

/// Fills the second part of `results` from the first, and checks the scenario's expectations. Returns a problem for
/// each expectation that names an unknown metric.
Problems finish(Results& results, const scenario::Scenario& scenario);

/// The metrics that follow from traffic, links, CPUs and memories; `finish` puts them before the shell's own.
std::vector<Metric> derive_metrics(const Results& results);

/// Which way the payload of one traffic entry went, by the ledger: "nic0 -> switch0 -> gpu0".
std::string describe_way(const Results& results, const TrafficResult& traffic);

/// Utilisation of all resources, links, CPUs and memories, busiest first.
std::vector<Utilisation> rank_utilisation(const Results& results);

/// Finds what limits each traffic entry by itself, groups the entries that share a limit (TrafficResult::limit,
/// Results::limits), and says it in a sentence (Results::bottleneck, Results::limit).
void find_bottleneck(Results& results, const scenario::Scenario& scenario);

/// Puts the sentence together again, after what is known of the limits has changed.
void describe_limits(Results& results);

/// The verdict on one expectation; nullopt if there is no such metric.
std::optional<ExpectationResult> judge(const Results& results, const scenario::Expectation& expectation);

}  // namespace peerpath::observe
