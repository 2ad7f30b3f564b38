#include "network/division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "network/topologies/topologies.hpp"

namespace peerpath::network {
namespace {

using namespace std::chrono_literals;

std::vector<std::int64_t> hosts_by_part(const Graph& graph, const std::vector<PartIndex>& owner, PartIndex parts) {
  std::vector<std::int64_t> count(parts);
  for (const auto host : graph.hosts) ++count.at(owner[host]);
  return count;
}

TEST(Division, APodOfAFatTreeStaysWholeAndPartsHaveAsManyHosts) {
  const auto graph = make(FatTree{8, {}});
  for (const PartIndex parts : {1u, 2u, 4u, 8u}) {
    const auto owner = divide(graph, parts);
    EXPECT_EQ(hosts_by_part(graph, owner, parts), std::vector<std::int64_t>(parts, 128 / parts));
    std::map<PartIndex, int> cores;
    for (const auto& cable : graph.cables) {
      const bool core = graph.nodes[cable.a].name.starts_with("core") || graph.nodes[cable.b].name.starts_with("core");
      if (!core) {
        EXPECT_EQ(owner[cable.a], owner[cable.b]) << graph.nodes[cable.a].name;
      }
    }
    for (NodeIndex n = 0; n < 16; ++n) ++cores[owner[n]];
    for (const auto& [part, count] : cores) EXPECT_EQ(count, 16 / static_cast<int>(parts)) << part;
  }
}

TEST(Division, MorePartsThanRacksLeaveSomeWithoutHosts) {
  const auto graph = make(Clos{1, 2, 4, 3, 0, {}});
  const auto owner = divide(graph, 5);
  for (const auto part : owner) EXPECT_LT(part, 5u);
  for (const auto& cable : graph.cables)
    if (graph.nodes[cable.b].is_host) {
      EXPECT_EQ(owner[cable.a], owner[cable.b]);
    }
}

TEST(Division, TheLookaheadIsThatOfTheFastestWayToAnotherPart) {
  Graph graph;
  const auto a = graph.add_switch("a"), b = graph.add_switch("b");
  graph.connect(graph.add_host("h0"), a, BitRate{100'000'000'000}, 5ns);
  graph.connect(graph.add_host("h1"), b, BitRate{100'000'000'000}, 5ns);
  graph.connect(a, b, BitRate{100'000'000'000}, 250ns);
  // 60 bytes, FCS and preamble: 72 bytes of 80 ps.
  EXPECT_EQ(lookahead(graph, divide(graph, 2)), 250ns + Duration{72 * 80'000});
  EXPECT_EQ(lookahead(graph, divide(graph, 1)), never - Instant{});
}

}  // namespace
}  // namespace peerpath::network
