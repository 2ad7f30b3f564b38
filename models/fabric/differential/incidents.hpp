// What happens to the hardware of random cases as a whole. Each by numbers of its own, so that the rest of a case does
// not depend on it.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Receivers that hold TLPs up.
void add_gates(Scenario& scenario);

/// Posted requests that nobody takes: to no BAR, forbidden, poisoned.
void refuse_writes(Scenario& scenario);

/// Requests with a requester ID that nobody has, some of them without answer; and ports that send these elsewhere than
/// others for a while, as Source Validation does.
void add_spoofs(Scenario& scenario);

/// Links that go down, change their rates both ways, and come up again.
void add_retrains(Scenario& scenario);

/// Endpoints that go away by surprise: what is meant for them ends at another endpoint of the same router from then on.
void add_removals(Scenario& scenario);

/// ACS controls of all ports that are written at some time, and mostly cleared again: all routes follow.
void add_acs(Scenario& scenario);

}  // namespace peerpath::fabric::differential
