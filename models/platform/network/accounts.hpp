// Conservation of a network's bytes: what came, arrived, was dropped and still waits, of entries and of cables.
#pragma once

#include <string>
#include <vector>

#include "platform/network/cable_report.hpp"
#include "platform/network/run.hpp"

namespace peerpath::network_run {

/// Payload of each entry since the start, at one time: handed to its NICs (RDMA) or sent for the first time (TCP), and
/// arrived.
struct EntryTotals {
  std::vector<std::int64_t> offered{}, arrived{};
};

/// Sums of all ranks, in rank 0.
void gather(Parts& parts, EntryTotals& totals);

/// From `before` to `after`.
std::vector<EntryAccount> accounts(const EntryTotals& before, const EntryTotals& after);

/// One sentence for each that breaks this: of each direction of a cable, what came to leave by it and what waited for
/// it or was on its way are what arrived, what was dropped, and what waits or is on its way now; what comes into a
/// switch is there to leave it; each packet is in one place; of an entry no more arrives than was offered.
std::vector<std::string> violations(const Snapshot& before, const Snapshot& after, const network::Graph& graph,
                                    const Outcome& out);

}  // namespace peerpath::network_run
