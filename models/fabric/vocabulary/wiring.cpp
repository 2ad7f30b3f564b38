#include "fabric/vocabulary/wiring.hpp"

#include "peerpath/base/fail.hpp"

namespace peerpath::fabric {

Wiring::Wiring(const Topology& topology)
    : ports_(topology.nodes.size()),
      next_(topology.nodes.size() * topology.nodes.size()),
      trees_(topology.nodes.size()) {
  for (std::size_t l = 0; l < topology.links.size(); ++l) {
    const Link& link = topology.links[l];
    const LinkId id{static_cast<std::uint16_t>(l)};
    auto& at_a = ports_[link.a.value()];
    auto& at_b = ports_[link.b.value()];
    const auto port_a = static_cast<int>(at_a.size()), port_b = static_cast<int>(at_b.size());
    at_a.push_back({id, 0, link.b, port_b});
    at_b.push_back({id, 1, link.a, port_a});
  }
  for (std::size_t n = 0; n < ports_.size(); ++n) {
    const Node& node = topology.nodes[n];
    int count = node.is_endpoint ? 1 + node.endpoint.channels : static_cast<int>(ports_[n].size());
    for (Port& port : ports_[n])
      if (topology.links[port.link.value()].vc1_classes != 0) port.vc1_ingress = count++;
    ingresses_.push_back(count);
  }
  // From each destination walk outwards: a node's next port is the one by which the walk reached it.
  for (std::size_t to = 0; to < ports_.size(); ++to) {
    std::vector<NodeId> reached{NodeId{static_cast<std::uint16_t>(to)}};
    std::vector<bool> seen(ports_.size());
    seen[to] = true;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const Port& port : ports(reached[i])) {
        if (seen[port.peer.value()]) continue;
        seen[port.peer.value()] = true;
        next_[port.peer.value() * ports_.size() + to] = port.peer_port;
        reached.push_back(port.peer);
      }
    for (const NodeId node : reached) trees_[node.value()] = to;
  }
}

int Wiring::port_of(NodeId node, LinkId link) const {
  const auto all = ports(node);
  for (std::size_t p = 0; p < all.size(); ++p)
    if (all[p].link == link) return static_cast<int>(p);
  fail("the link does not end at this node");
}

std::vector<int> Wiring::turns(const Topology& topology, NodeId node, LinkId egress) const {
  std::vector<int> turns;
  for (const Weight& w : topology.weights) {
    if (w.router != node || w.egress != egress || w.turns == 1) continue;
    turns.resize(static_cast<std::size_t>(ingresses(node)), 1);
    for (const int channel : {0, 1})
      if (channel == 0 || topology.links[w.ingress.value()].vc1_classes != 0)
        turns[static_cast<std::size_t>(ingress_of(node, w.ingress, channel))] = w.turns;
  }
  return turns;
}

}  // namespace peerpath::fabric
