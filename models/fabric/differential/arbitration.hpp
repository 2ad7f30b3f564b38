// What random cases have of arbitration beyond round robin.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Gives some cases weighted port arbitration, by numbers of its own, so that the rest of a case does not depend on it.
void add_weights(Scenario& scenario);

/// Gives some cases links with two virtual channels, each with a TC/VC map of its own, and traffic classes to what is
/// sent.
void add_channels(Scenario& scenario);

}  // namespace peerpath::fabric::differential
