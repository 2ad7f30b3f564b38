#include "network/topologies/topologies.hpp"

namespace peerpath::network {

Graph make(const Clos& clos) {
  Graph graph;
  const auto& cables = clos.cables;
  std::vector<std::vector<NodeIndex>> planes(static_cast<std::size_t>(clos.spines));
  int host_number = 0, rack_number = 0, spine_number = 0;
  for (int cluster = 0; cluster < clos.clusters; ++cluster) {
    std::vector<NodeIndex> racks;
    for (int rack = 0; rack < clos.racks; ++rack) {
      racks.push_back(graph.add_switch("rack" + std::to_string(rack_number++)));
      for (int host = 0; host < clos.hosts; ++host)
        graph.connect(graph.add_host("h" + std::to_string(host_number++)), racks.back(), cables.host_rate,
                      cables.host_delay);
    }
    for (auto& plane : planes) {
      plane.push_back(graph.add_switch("spine" + std::to_string(spine_number++)));
      for (const auto rack : racks) graph.connect(rack, plane.back(), cables.fabric_rate, cables.fabric_delay);
    }
  }
  int aggregation_number = 0;
  for (const auto& plane : planes) {
    for (int a = 0; a < clos.aggregations; ++a) {
      const auto aggregation = graph.add_switch("agg" + std::to_string(aggregation_number++));
      for (const auto spine : plane) graph.connect(spine, aggregation, cables.fabric_rate, cables.fabric_delay);
    }
  }
  return graph;
}

Graph make(const FatTree& tree) {
  Graph graph;
  const auto& cables = tree.cables;
  const int half = tree.ports / 2;
  std::vector<NodeIndex> cores;
  int host_number = 0;
  for (int c = 0; c < half * half; ++c) cores.push_back(graph.add_switch("core" + std::to_string(c)));
  for (int pod = 0; pod < tree.ports; ++pod) {
    std::vector<NodeIndex> edges;
    for (int e = 0; e < half; ++e) {
      edges.push_back(graph.add_switch("edge" + std::to_string(pod * half + e)));
      for (int host = 0; host < half; ++host)
        graph.connect(graph.add_host("h" + std::to_string(host_number++)), edges.back(), cables.host_rate,
                      cables.host_delay);
    }
    for (int a = 0; a < half; ++a) {
      const auto aggregation = graph.add_switch("agg" + std::to_string(pod * half + a));
      for (const auto edge : edges) graph.connect(edge, aggregation, cables.fabric_rate, cables.fabric_delay);
      for (int c = 0; c < half; ++c)
        graph.connect(aggregation, cores[static_cast<std::size_t>(a * half + c)], cables.fabric_rate,
                      cables.fabric_delay);
    }
  }
  return graph;
}

}  // namespace peerpath::network
