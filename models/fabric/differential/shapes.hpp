// Cases with a tree of a shape of its own.
#pragma once

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Puts one of two shapes, made of the nodes and links of the tree that it replaces, and traffic for it in place of
/// some cases. Fan-out: endpoints of unequal speed and few credits behind one uplink, of which requesters write to and
/// read from many, so that the lanes of one ingress leave independently. Sockets: two or three routers with memories
/// and devices each, joined by long links, where all send to all.
void add_shapes(Scenario& scenario);

}  // namespace peerpath::fabric::differential
