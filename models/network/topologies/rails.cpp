#include "network/topologies/topologies.hpp"

namespace peerpath::network {

Graph make(const RailOptimised& rails) {
  Graph graph;
  const auto& cables = rails.cables;
  std::vector<NodeIndex> leaves;
  for (int rail = 0; rail < rails.rails; ++rail) leaves.push_back(graph.add_switch("rail" + std::to_string(rail)));
  for (int host = 0; host < rails.servers * rails.rails; ++host)
    graph.connect(graph.add_host("h" + std::to_string(host)), leaves[static_cast<std::size_t>(host % rails.rails)],
                  cables.host_rate, cables.host_delay);
  for (int s = 0; s < rails.spines; ++s) {
    const auto spine = graph.add_switch("spine" + std::to_string(s));
    for (const auto leaf : leaves) graph.connect(leaf, spine, cables.fabric_rate, cables.fabric_delay);
  }
  return graph;
}

Graph make(const Dragonfly& dragonfly) {
  Graph graph;
  const auto& cables = dragonfly.cables;
  const auto of_group = static_cast<std::size_t>(dragonfly.routers);
  std::vector<NodeIndex> routers;
  int host_number = 0;
  for (int group = 0; group < dragonfly.groups; ++group) {
    const auto first = routers.size();
    for (int r = 0; r < dragonfly.routers; ++r) {
      routers.push_back(graph.add_switch("g" + std::to_string(group) + "r" + std::to_string(r)));
      for (int host = 0; host < dragonfly.hosts; ++host)
        graph.connect(graph.add_host("h" + std::to_string(host_number++)), routers.back(), cables.host_rate,
                      cables.host_delay);
      for (auto other = first; other + 1 < routers.size(); ++other)
        graph.connect(routers[other], routers.back(), cables.fabric_rate, cables.fabric_delay);
    }
  }
  // The cables to other groups are dealt out to the routers of a group in turn.
  std::vector<std::size_t> dealt(static_cast<std::size_t>(dragonfly.groups));
  for (std::size_t a = 0; a < dealt.size(); ++a)
    for (std::size_t b = a + 1; b < dealt.size(); ++b)
      graph.connect(routers[a * of_group + dealt[a]++ % of_group], routers[b * of_group + dealt[b]++ % of_group],
                    cables.fabric_rate, cables.fabric_delay);
  return graph;
}

}  // namespace peerpath::network
