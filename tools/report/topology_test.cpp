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

TEST(Topology, LongNamesTakeLinesThatFitIntoTheirBox) {
  const auto svg = topology_svg(Json::parse(R"({"ledger": [
    {"link": "l", "direction": "up", "nearer": "rc", "farther": "rc unsupported requests"},
    {"link": "m", "direction": "up", "nearer": "rc", "farther": "nvidia_h200withoutanyblank"}]})"));
  for (const char* line : {">rc </text>", ">unsupported </text>", ">requests</text>", ">nvidia_</text>",
                           ">h200withoutan</text>", ">yblank</text>"})
    EXPECT_NE(svg.find(line), std::string::npos) << line << " in " << svg;
}

TEST(Topology, NoLineIsDrawnOverARate) {
  const auto svg = topology_svg(Json::parse(sample_results));
  EXPECT_LT(svg.rfind("<line"), svg.find("<text"));
}

TEST(Topology, AWideTreeIsScrolledAndNotShrunk) {
  auto results = Json::object({{"ledger", Json::array()}});
  for (int i = 0; i < 20; ++i)
    results["ledger"].push_back(
        {{"link", std::to_string(i)}, {"direction", "up"}, {"nearer", "rc"}, {"farther", "gpu" + std::to_string(i)}});
  const auto svg = topology_svg(results);
  EXPECT_TRUE(svg.starts_with("<div class=\"scroll\">"));
  EXPECT_NE(svg.find("min-width:3155px"), std::string::npos) << svg.substr(0, 200);
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
