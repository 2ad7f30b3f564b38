// Streams of writes between endpoints of one switch whose ports send them up to the root and down again.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

void add_redirected(Scenario& scenario);

}  // namespace peerpath::fabric::differential
