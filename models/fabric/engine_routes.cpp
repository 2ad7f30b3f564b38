// Routes that change while TLPs are under way, and whether any of these can end where it is not meant to.

#include <algorithm>

#include "fabric/engine.hpp"
#include "peerpath/base/fail.hpp"

namespace peerpath::fabric {

void Engine::set_route(const Route& route) {
  catch_up();
  const auto port = static_cast<std::size_t>(wiring_.port_of(route.router, route.ingress));
  const Port& out = wiring_.ports(route.router)[static_cast<std::size_t>(wiring_.port_of(route.router, route.egress))];
  const Transmitter& x = outgoing(out);
  require(topology_.strays || x.peer->leaf == nullptr || x.peer->number == route.target.value(),
          "a route to another than the target in a topology that promises none");
  std::uint16_t& present =
      nodes_[route.router.value()].routes[(port * nodes_.size() + route.target.value()) * pcie::route_kinds +
                                          static_cast<std::size_t>(route.kind)];
  if (present == x.index) return;
  present = static_cast<std::uint16_t>(x.index);
  forget_steady_reads();
  look_afresh();
  if (!rerouted_) allow_turns();
  for (NodeState& node : nodes_)
    if (node.leaf == nullptr)
      for (int slot = 0; slot < node.ingresses * 3; ++slot) mark_old(node.queues[slot]);
  reviewed_ = false;
  expect_strays();
}

/// TLPs may go astray from now on: nothing that waits for a tag knows for sure when it will have one.
void Engine::expect_strays() {
  if (may_stray_ || !topology_.strays) return;
  may_stray_ = true;
  for (Transmitter& each : transmitters_) touch(each);
  settle();
}

/// Routes are no longer those of the tree: a TLP may leave a router by the link by which it came.
void Engine::allow_turns() {
  rerouted_ = true;
  for (Transmitter& x : transmitters_)
    if (x.node->leaf == nullptr) x.lookahead = std::min(x.lookahead, later(x.reverse->propagation, x.node->latency));
}

/// Finds out whether TLPs may still go astray.
void Engine::review_routes() {
  if (!reviewed_) {
    reviewed_ = true;
    misrouted_ = false;
    for (const Leaf& source : leaves_)
      for (const Leaf& target : leaves_)
        for (std::size_t kind = 0; kind < pcie::route_kinds; ++kind)
          misrouted_ = misrouted_ || (&source != &target && !arrives(source, target, kind));
  }
  may_stray_ = misrouted_ || to_itself_ || old_runs_ > 0;
  if (misrouted_ || to_itself_)
    for (Leaf& leaf : leaves_) leaf.timeouts = true;  // of requests whose answers have begun to go astray
}

/// Whether what one endpoint sends to another comes there.
bool Engine::arrives(const Leaf& source, const Leaf& target, std::size_t kind) const {
  const Transmitter* x = source.out;
  for (std::size_t hops = 0; x->peer->leaf == nullptr; ++hops) {
    if (hops == transmitters_.size()) return false;
    const auto from = static_cast<std::size_t>(x->peer_port) * nodes_.size();
    const auto to = static_cast<std::size_t>(target.node->number);
    x = &transmitters_[x->peer->routes[(from + to) * pcie::route_kinds + kind]];
  }
  return x->peer == target.node;
}

}  // namespace peerpath::fabric
