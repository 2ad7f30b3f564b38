#include "network/graph.hpp"

#include <algorithm>

namespace peerpath::network {

NodeIndex Graph::add_host(const std::string& name) {
  nodes.push_back({name, true});
  hosts.push_back(static_cast<NodeIndex>(nodes.size() - 1));
  return hosts.back();
}

NodeIndex Graph::add_switch(const std::string& name) {
  nodes.push_back({name, false});
  return static_cast<NodeIndex>(nodes.size() - 1);
}

CableIndex Graph::connect(NodeIndex a, NodeIndex b, BitRate rate, Duration delay) {
  cables.push_back({a, b, rate, delay});
  return static_cast<CableIndex>(cables.size() - 1);
}

std::string Graph::name_of(PortIndex port) const {
  return nodes[node_of(port)].name + " -> " + nodes[node_of(peer(port))].name;
}

std::vector<std::string> Graph::problems() const {
  std::vector<std::string> found;
  std::vector<std::vector<NodeIndex>> neighbours(nodes.size());
  for (const auto& cable : cables) {
    if (cable.a == cable.b) found.push_back("a cable leads from " + nodes[cable.a].name + " to itself");
    neighbours[cable.a].push_back(cable.b);
    neighbours[cable.b].push_back(cable.a);
  }
  for (const auto host : hosts) {
    const auto count = neighbours[host].size();
    if (count == 0) found.push_back(nodes[host].name + " has no cable");
    if (count > 1) found.push_back(nodes[host].name + " has " + std::to_string(count) + " cables; a host has one port");
  }
  if (hosts.empty()) return found;
  std::vector<bool> reached(nodes.size());
  std::vector<NodeIndex> open{hosts.front()};
  reached[hosts.front()] = true;
  while (!open.empty()) {
    const auto node = open.back();
    open.pop_back();
    for (const auto next : neighbours[node]) {
      if (reached[next]) continue;
      reached[next] = true;
      open.push_back(next);
    }
  }
  for (const auto host : hosts)
    if (!reached[host] && !neighbours[host].empty())
      found.push_back("no path leads from " + nodes[hosts.front()].name + " to " + nodes[host].name);
  return found;
}

}  // namespace peerpath::network
