// What the cables of a network have carried in a window.
#pragma once

#include <vector>

#include "network/network.hpp"
#include "peerpath/observe/histogram.hpp"
#include "platform/network/parts.hpp"
#include "platform/network/run.hpp"

namespace peerpath::network_run {

/// Counters of all cables at one time.
struct Snapshot {
  Instant when{};
  std::vector<network::PortCounters> ports{};  ///< busy as far as it has been, not until what has begun is sent
  std::vector<Duration> paused{}, stopped{};
  std::vector<std::int64_t> arrived{};  ///< bytes of frames that have come in, by the port that sent them
  std::vector<std::int64_t> backlog{};  ///< bytes that wait for a port or are on their way behind it
  std::int64_t lost_track = 0;          ///< packets that are nowhere
};

Snapshot snapshot(const network::Network& network, Instant now);
/// Records what waits at each port of the switches here; a byte is a femtosecond.
void sample_queues(const network::Network& network, observe::Histogram& queued);
/// What all ranks have seen, in rank 0.
void gather(Parts& parts, Snapshot& snapshot);

/// Sums over all cables; `peak` since the start.
struct CableTotals {
  std::int64_t packets = 0, dropped = 0, marked = 0, pauses = 0, peak = 0;
  Duration paused{};
};

/// What a direction of a cable did between the two.
CableAccount account_of(const Snapshot& before, const Snapshot& after, network::PortIndex port);

/// Adds what each direction of each cable did, busiest first.
CableTotals report_cables(const Snapshot& before, const Snapshot& after, const network::Graph& graph, Outcome& out);

void set_metric(observe::Results& results, const std::string& name, std::optional<observe::Decimal> value);
observe::Decimal microseconds(Duration d);
observe::Decimal gbps(WideInt bits, Duration time);
/// The metrics of a network that do not depend on its transport, and "busiest cable: ...".
void report_totals(const CableTotals& totals, observe::Results& results);
std::string busiest(const Outcome& out);
void busiest_first(std::vector<CableUse>& cables);
/// Takes a cable out of service or back, as an event of the scenario says.
void apply(const network_scenario::CableEvent& event, const network::Graph& graph, network::Network& network,
           Instant now);
/// The cable that such an event is of: the first between the two.
std::optional<network::CableIndex> cable_of(const network_scenario::CableEvent& event, const network::Graph& graph);

}  // namespace peerpath::network_run
