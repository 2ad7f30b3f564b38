// Endpoints that hear when what they posted has left.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Has some posted transactions told of when they have left, and rings of frames send an interrupt behind each entry;
/// by numbers of its own, so that the rest of a case does not depend on it.
void add_sends(Scenario& scenario);

}  // namespace peerpath::fabric::differential
