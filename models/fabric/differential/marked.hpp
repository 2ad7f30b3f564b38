// Requests and completions that wait behind writes at a router.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Gives some cases endpoints of one router that compete by writes for a slow one of them, which what they read from
/// each other has to wait for; by numbers of its own, so that the rest of a case does not depend on it.
void add_marked(Scenario& scenario);

}  // namespace peerpath::fabric::differential
