// Equal reads of one endpoint from another one at the same router, one after the other: what repeats itself.
#pragma once

#include <vector>

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Gives some cases such reads, mostly by themselves; by numbers of its own, so that the other cases do not depend on
/// it. Returns when the last of what it plans is ready, time 0 if it plans nothing.
Instant add_steady(Scenario& scenario, const std::vector<NodeId>& endpoints);

}  // namespace peerpath::fabric::differential
