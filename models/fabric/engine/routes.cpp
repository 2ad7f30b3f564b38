#include "fabric/engine/routes.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::fabric::engine {

bool Routes::set(const Route& route) {
  const auto port = static_cast<std::size_t>(s_.wiring.port_of(route.router, route.ingress));
  Transmitter& x = s_.outgoing(
      s_.wiring.ports(route.router)[static_cast<std::size_t>(s_.wiring.port_of(route.router, route.egress))]);
  require(s_.topology.strays || x.peer->endpoint == nullptr || x.peer->id == route.target,
          "a route to another than the target in a topology that promises none");
  Transmitter*& present =
      s_.nodes[route.router.value()].routes[(port * s_.nodes.size() + route.target.value()) * pcie::route_kinds +
                                            static_cast<std::size_t>(route.kind)];
  if (present == &x) return false;
  present = &x;
  if (!s_.rerouted) allow_turns();
  s_.mark_old_records();
  reviewed_ = false;
  expect_strays();
  return true;
}

void Routes::send_to_itself() {
  to_itself_ = true;
  expect_strays();
}

/// TLPs may go astray from now on.
void Routes::expect_strays() {
  if (s_.may_stray || !s_.topology.strays) return;
  s_.may_stray = true;
  for (Transmitter& each : s_.transmitters) s_.touch(each);
}

/// Routes are no longer those of the tree: a TLP may leave a router by the link by which it came.
void Routes::allow_turns() {
  s_.rerouted = true;
  for (Transmitter& x : s_.transmitters)
    if (x.node->endpoint == nullptr)
      x.lookahead = std::min(x.lookahead, later(x.reverse->propagation, x.node->latency));
}

void Routes::review() {
  if (!s_.may_stray) return;
  if (!reviewed_) {
    reviewed_ = true;
    misrouted_ = false;
    for (const EndpointState& source : s_.endpoints)
      for (const EndpointState& target : s_.endpoints)
        for (std::size_t kind = 0; kind < pcie::route_kinds; ++kind)
          misrouted_ = misrouted_ || (&source != &target && !arrives(source, target, kind));
  }
  s_.may_stray = misrouted_ || to_itself_ || s_.old_records > 0;
  if (misrouted_ || to_itself_)
    for (EndpointState& each : s_.endpoints) each.timeouts = true;  // of requests whose answers have begun to go astray
}

/// Whether what one endpoint sends to another comes there.
bool Routes::arrives(const EndpointState& source, const EndpointState& target, std::size_t kind) const {
  const Transmitter* x = source.out;
  for (std::size_t hops = 0; x->peer->endpoint == nullptr; ++hops) {
    if (hops == s_.transmitters.size()) return false;
    x = x->routes[target.node->id.value() * pcie::route_kinds + kind];
  }
  return x->peer == target.node;
}

}  // namespace peerpath::fabric::engine
