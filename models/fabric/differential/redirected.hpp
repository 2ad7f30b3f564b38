// Streams between endpoints of one switch that ACS sends up to the root and down again.
#pragma once

#include "fabric/differential/draw.hpp"
#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Puts such streams in place of the traffic of some cases.
void add_redirected(Scenario& scenario);

/// Redirects from the start on, perhaps not to the end of `span`; false if the root has no memory.
bool redirect(Scenario& scenario, Draw& draw, Duration span);

}  // namespace peerpath::fabric::differential
