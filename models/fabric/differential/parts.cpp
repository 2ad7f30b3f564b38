#include "fabric/differential/parts.hpp"

#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric::differential {

std::vector<NodeId> neighbours(const Topology& topology, std::size_t first, Endpoints which) {
  const Wiring wiring{topology};
  std::vector<NodeId> most;
  for (std::size_t n = first; n < topology.nodes.size(); ++n) {
    if (topology.nodes[n].is_endpoint) continue;
    std::vector<NodeId> leaves;
    for (const Port& port : wiring.ports(NodeId{static_cast<std::uint16_t>(n)})) {
      const Node& node = topology.nodes[port.peer.value()];
      if (node.is_endpoint && (which == Endpoints::all || !node.endpoint.external)) leaves.push_back(port.peer);
    }
    if (leaves.size() > most.size()) most = leaves;
  }
  return most;
}

ChannelIndex new_channel(Topology& topology, NodeId node) {
  Endpoint& own = topology.nodes[node.value()].endpoint;
  if (own.channels < 20) ++own.channels;
  return ChannelIndex{static_cast<std::uint16_t>(own.channels)};
}

void sort_planned(std::vector<Planned>& planned) {
  std::stable_sort(planned.begin(), planned.end(),
                   [](const Planned& x, const Planned& y) { return x.transaction.ready < y.transaction.ready; });
  for (std::size_t i = 0; i < planned.size(); ++i) planned[i].transaction.cookie = i;
}

}  // namespace peerpath::fabric::differential
