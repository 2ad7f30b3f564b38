// What a NIC's driver registers in the window of a GPU.
#pragma once

#include <functional>

#include "peerpath/scenario/bar1.hpp"
#include "peerpath/scenario/queues.hpp"

namespace peerpath::scenario::traffic {

/// Adds to the plan what the entries of a share register together, if `entry` is the first of them: the buffers of
/// their queues, or `registered` where that is more.
void plan_buffers(const Scenario& scenario, const std::vector<QueueShare>& shares, std::size_t entry, Bar1Plan& plan,
                  const std::function<Bytes(const device::NicConfig&, const Traffic&, std::size_t queues)>& buffers);

}  // namespace peerpath::scenario::traffic
