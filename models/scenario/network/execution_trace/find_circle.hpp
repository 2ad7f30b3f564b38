// Tasks of a job that wait for each other.
#pragma once

#include "collective/workload.hpp"

namespace peerpath::network_scenario {

/// A task by its rank and its number there.
struct TaskName {
  std::uint32_t rank = 0, task = 0;
};

/// Tasks each of which waits for the next, and the last for the first; empty if the job can be played to its end. All
/// tasks of a collective are over together, or none is; a receive waits for its send, and with `cleared` they are over
/// together.
std::vector<TaskName> find_circle(const collective::Workload& workload, bool cleared);

}  // namespace peerpath::network_scenario
