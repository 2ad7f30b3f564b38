// A network scenario at the level of flows.
#pragma once

#include "platform/network/run.hpp"

namespace peerpath::network_run {

/// RDMA and collectives, each message a flow. Of a collective with more messages than `most_flows` the first steps, or
/// evenly chosen distances, are played, and its time is theirs in proportion; what is said tells so. Problems: of
/// building a host, or a capture that is asked for.
tl::expected<Outcome, Problems> run_flows(const network_scenario::Loaded& loaded, const Options& options,
                                          std::int64_t most_flows = 2'000'000);

}  // namespace peerpath::network_run
