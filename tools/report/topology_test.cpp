#include "tools/report/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tools/report/sample.hpp"

namespace peerpath::report {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Topology, DrawsEveryDeviceAndBothDirectionsOfEveryLink) {
  const auto svg = topology_svg(Json::parse(sample_results));
  EXPECT_EQ(occurrences(svg, "<rect"), 4u);
  EXPECT_EQ(occurrences(svg, "<line"), 6u);
  EXPECT_EQ(occurrences(svg, "class=\"load3\""), 1u);  // 80 % busy
  EXPECT_NE(svg.find("204.1 Gb/s, 80 %"), std::string::npos);
}

TEST(Topology, NothingToDraw) { EXPECT_EQ(topology_svg(Json::object()), ""); }

TEST(Topology, ALoopDoesNotHang) {
  const auto results = Json::parse(R"({"ledger": [
    {"link": "a-b", "direction": "up", "nearer": "b", "farther": "a"},
    {"link": "b-a", "direction": "up", "nearer": "a", "farther": "b"},
    {"link": "a-r", "direction": "up", "nearer": "r", "farther": "a"}]})");
  EXPECT_FALSE(topology_svg(results).empty());
}

}  // namespace
}  // namespace peerpath::report
