#include "network/routes.hpp"

#include <limits>

namespace peerpath::network {
namespace {

constexpr auto unreachable = std::numeric_limits<std::uint32_t>::max();

/// The ports of each node, by number of their cable.
std::vector<std::vector<PortIndex>> ports_by_node(const Graph& graph, const std::vector<bool>& down) {
  std::vector<std::vector<PortIndex>> ports(graph.nodes.size());
  for (CableIndex c = 0; c < graph.cables.size(); ++c) {
    if (c < down.size() && down[c]) continue;
    ports[graph.cables[c].a].push_back(2 * c);
    ports[graph.cables[c].b].push_back(2 * c + 1);
  }
  return ports;
}

std::vector<std::uint32_t> distances(const Graph& graph, const std::vector<std::vector<PortIndex>>& ports,
                                     NodeIndex to) {
  std::vector<std::uint32_t> distance(graph.nodes.size(), unreachable);
  std::vector<NodeIndex> open{to};
  distance[to] = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const auto port : ports[open[i]]) {
      const auto next = graph.node_of(Graph::peer(port));
      // Nothing goes through a host.
      if (distance[next] != unreachable || graph.nodes[next].is_host) continue;
      distance[next] = distance[open[i]] + 1;
      open.push_back(next);
    }
  }
  return distance;
}

}  // namespace

Routes::Routes(const Graph& graph, const std::vector<bool>& down)
    : attached_(graph.hosts.size()), last_port_(graph.hosts.size()) {
  const auto ports = ports_by_node(graph, down);
  const auto all_ports = ports_by_node(graph, {});
  std::vector<std::uint32_t> number_of(graph.nodes.size(), unreachable), hosts_at(graph.nodes.size());
  std::vector<NodeIndex> edges;
  for (HostIndex host = 0; host < graph.hosts.size(); ++host) {
    const auto port = all_ports[graph.hosts[host]].front();
    const auto edge = graph.node_of(Graph::peer(port));
    if (number_of[edge] == unreachable) {
      number_of[edge] = static_cast<std::uint32_t>(edges.size());
      edges.push_back(edge);
    }
    attached_[host] = {edge, number_of[edge], hosts_at[edge]++};
    last_port_[host] = Graph::peer(port);
  }
  edges_ = edges.size();
  entries_.resize(graph.nodes.size() * edges_);
  for (std::size_t e = 0; e < edges_; ++e) {
    const auto distance = distances(graph, ports, edges[e]);
    for (NodeIndex node = 0; node < graph.nodes.size(); ++node) {
      auto& entry = entries_[node * edges_ + e];
      entry.first = static_cast<std::uint32_t>(ports_.size());
      if (node == edges[e]) continue;
      for (const auto port : ports[node]) {
        const auto next = graph.node_of(Graph::peer(port));
        const bool closer = graph.nodes[node].is_host
                                ? distance[next] != unreachable
                                : distance[node] != unreachable && distance[next] + 1 == distance[node];
        if (closer) ports_.push_back(port);
      }
      entry.count = static_cast<std::uint32_t>(ports_.size()) - entry.first;
    }
  }
}

}  // namespace peerpath::network
