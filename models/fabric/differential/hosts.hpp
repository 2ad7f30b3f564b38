// Cases of several hosts, and what their devices promise.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Puts `other` beside the case as a tree of its own. Mostly cables join their endpoints: what is noticed in one tree
/// causes traffic in the other after the time on the wire, which is the promise `side_latency`.
void add_host(Scenario& scenario, const Scenario& other);

/// Some cases promise what a platform of one host does: no endpoint reacts to a notice of another one, and no link or
/// route changes in reaction to any.
void add_promises(Scenario& scenario);

}  // namespace peerpath::fabric::differential
