#include "platform/network/ways.hpp"

#include <algorithm>

namespace peerpath::network_run {

using network::NodeIndex;
using network::PortIndex;

constexpr std::uint32_t far_away = ~std::uint32_t{0};

Ways::Ways(const network::Graph& graph) : graph_{graph}, ports_(graph.nodes.size()) {
  for (PortIndex p = 0; p < 2 * graph.cables.size(); ++p) ports_[graph.node_of(p)].push_back(p);
}

const std::vector<std::uint32_t>& Ways::hops_to(NodeIndex node) {
  auto& hops = hops_[node];
  if (!hops.empty()) return hops;
  hops.assign(graph_.nodes.size(), far_away);
  hops[node] = 0;
  std::vector<NodeIndex> next{node};
  for (std::size_t i = 0; i < next.size(); ++i)
    for (const auto port : ports_[next[i]]) {
      const auto other = graph_.node_of(network::Graph::peer(port));
      if (hops[other] != far_away) continue;
      hops[other] = hops[next[i]] + 1;
      next.push_back(other);
    }
  return hops;
}

std::vector<PortIndex> Ways::between(NodeIndex from, NodeIndex to) {
  const auto& hops = hops_to(to);
  std::vector<PortIndex> taken;
  std::vector<NodeIndex> here{from};
  while (!here.empty()) {
    std::vector<NodeIndex> next;
    for (const auto node : here)
      for (const auto port : ports_[node]) {
        const auto other = graph_.node_of(network::Graph::peer(port));
        if (hops[node] == far_away || hops[other] + 1 != hops[node]) continue;
        taken.push_back(port);
        if (std::ranges::find(next, other) == next.end()) next.push_back(other);
      }
    here = std::move(next);
  }
  return taken;
}

}  // namespace peerpath::network_run
