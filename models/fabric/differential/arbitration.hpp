// What random cases have of arbitration beyond round robin.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Gives some cases weighted port arbitration, by numbers of its own, so that the rest of a case does not depend on it.
void add_weights(Scenario& scenario);

}  // namespace peerpath::fabric::differential
