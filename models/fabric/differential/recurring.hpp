// Streams of equal transactions at equal distances, for long: what brings whole states of the fabric again.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Puts such streams in place of the traffic of some cases, mostly with something that disturbs them.
void add_recurring(Scenario& scenario);

}  // namespace peerpath::fabric::differential
