#include "network/routes.hpp"

#include <gtest/gtest.h>

#include "network/topologies/topologies.hpp"

namespace peerpath::network {
namespace {

/// Hops of cables from one host to another by first choices; 0: there is no way.
int hops(const Graph& graph, const Routes& routes, HostIndex from, HostIndex to) {
  auto node = graph.hosts[from];
  for (int count = 0; count < 12; ++count) {
    if (node == graph.hosts[to]) return count;
    const auto ways = routes.towards(node, to);
    if (ways.empty()) return 0;
    node = graph.node_of(Graph::peer(ways.front()));
  }
  return 0;
}

TEST(Routes, OfAFatTreeHaveTwoFourOrSixHopsAndAQuarterOfThePortsSquaredWays) {
  const auto graph = make(FatTree{.ports = 4});
  EXPECT_EQ(graph.hosts.size(), 16u);
  EXPECT_EQ(graph.nodes.size(), 16u + 20u);
  EXPECT_TRUE(graph.problems().empty());
  const Routes routes{graph};
  EXPECT_EQ(hops(graph, routes, 0, 1), 2);
  EXPECT_EQ(hops(graph, routes, 0, 2), 4);
  EXPECT_EQ(hops(graph, routes, 0, 15), 6);
  const auto edge = graph.node_of(Graph::peer(routes.towards(graph.hosts[0], 15).front()));
  EXPECT_EQ(routes.towards(edge, 15).size(), 2u);
}

TEST(Routes, OfAClosWithAggregationStayInTheirCluster) {
  const auto graph = make(Clos{.clusters = 2, .racks = 3, .hosts = 4, .spines = 2, .aggregations = 2});
  EXPECT_EQ(graph.hosts.size(), 24u);
  EXPECT_TRUE(graph.problems().empty());
  const Routes routes{graph};
  EXPECT_EQ(hops(graph, routes, 0, 3), 2);
  EXPECT_EQ(hops(graph, routes, 0, 4), 4);
  EXPECT_EQ(hops(graph, routes, 0, 23), 6);
  EXPECT_EQ(routes.place(5), 1u);
}

TEST(Routes, OfRailsAreOneSwitchLongOnARail) {
  const auto graph = make(RailOptimised{.servers = 4, .rails = 2, .spines = 1});
  EXPECT_TRUE(graph.problems().empty());
  const Routes routes{graph};
  EXPECT_EQ(hops(graph, routes, 0, 6), 2);
  EXPECT_EQ(hops(graph, routes, 0, 7), 4);
}

TEST(Routes, OfADragonflyCrossOneCableBetweenGroups) {
  const auto graph = make(Dragonfly{.groups = 5, .routers = 2, .hosts = 2});
  EXPECT_EQ(graph.hosts.size(), 20u);
  EXPECT_TRUE(graph.problems().empty());
  const Routes routes{graph};
  for (HostIndex to = 4; to < 20; ++to) {
    EXPECT_GE(hops(graph, routes, 0, to), 3);
    EXPECT_LE(hops(graph, routes, 0, to), 5);
  }
}

TEST(Routes, AvoidACableThatIsDown) {
  const auto graph = make(Clos{.racks = 2, .hosts = 1, .spines = 2});
  const auto before = Routes{graph}.towards(0, 1).size();
  EXPECT_EQ(before, 2u);
  std::vector<bool> down(graph.cables.size());
  for (CableIndex c = 0; c < graph.cables.size(); ++c)
    if (graph.nodes[graph.cables[c].b].name == "spine0" && graph.nodes[graph.cables[c].a].name == "rack1")
      down[c] = true;
  const Routes routes{graph, down};
  ASSERT_EQ(routes.towards(0, 1).size(), 1u);
  EXPECT_EQ(graph.nodes[graph.node_of(Graph::peer(routes.towards(0, 1).front()))].name, "spine1");
}

TEST(Graph, SaysWhatIsWrongWithIt) {
  Graph graph;
  const auto a = graph.add_host("a");
  const auto b = graph.add_host("b");
  graph.add_host("c");
  const auto s = graph.add_switch("s"), t = graph.add_switch("t");
  graph.connect(a, s, 1_Gbps, {});
  graph.connect(b, t, 1_Gbps, {});
  const auto problems = graph.problems();
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0], "c has no cable");
  EXPECT_EQ(problems[1], "no path leads from a to b");
}

}  // namespace
}  // namespace peerpath::network
