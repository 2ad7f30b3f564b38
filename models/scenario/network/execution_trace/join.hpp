// Execution traces of all ranks as one job.
#pragma once

#include <vector>

#include <tl/expected.hpp>

#include "collective/workload.hpp"
#include "peerpath/base/problem.hpp"
#include "scenario/network/execution_trace/execution_trace.hpp"

namespace peerpath::network_scenario {

/// What decides whether a job can be played.
struct JoinOptions {
  collective::WorkloadConfig config{};
  bool cleared = false;  ///< a message waits until its receiver has begun to receive
};

/// By rank. The n-th collective of a process group, by ids, is the n-th of it at all of its ranks, and a rank has one
/// of a group under way at a time; the n-th send with a source, destination and tag belongs to the n-th such receive.
/// A control dependency on a node that the rank does not have is left out. Problems: ids given twice; data that no node
/// of the rank makes; collectives and messages that do not fit together; tasks that wait for each
/// other in a circle, over ranks, which would never end.
tl::expected<collective::Workload, Problems> join(const std::vector<RankTrace>& traces, const JoinOptions& options);

}  // namespace peerpath::network_scenario
