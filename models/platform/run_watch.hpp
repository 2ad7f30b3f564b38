// Entries and backlogs that the search for steady state watches in a PCIe run.
#pragma once

#include <vector>

#include "platform/meter.hpp"
#include "platform/platform.hpp"
#include "platform/traffic_setup.hpp"
#include "platform/window_search.hpp"

namespace peerpath::platform {

WindowPlan window_plan(const scenario::Scenario& scenario);
/// All traffic entries.
std::vector<WatchedEntry> watched_entries(const scenario::Scenario& scenario);
/// Queues of switches and root complexes. NIC FIFOs, tags, transfers in flight and host queues are part of entries.
std::vector<WatchedBacklog> watched_backlogs(const scenario::Scenario& scenario);

/// Counts of entries and backlogs, in the order of those lists. `latencies`: by entry, since the last reading.
Reading read_run(const scenario::Scenario& scenario, Platform& platform, const TrafficSetup& traffic,
                 const std::vector<Meter::Totals>& totals, const std::vector<observe::Histogram>& latencies,
                 const std::vector<WatchedEntry>& entries, Instant now);

}  // namespace peerpath::platform
