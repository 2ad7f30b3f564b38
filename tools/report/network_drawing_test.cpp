#include "tools/report/network_drawing.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace peerpath::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Json cable(const std::string& name, double percent) { return {{"name", name}, {"busy_percent", percent}}; }

TEST(NetworkDrawing, HasHostsBelowLeavesBelowSpinesAndTheBusierDirection) {
  Json cables = Json::array();
  for (int host = 0; host < 4; ++host)
    for (const auto* name : {"h{0} -> leaf{1}", "leaf{1} -> h{0}"})
      cables.push_back(cable(fmt::format(fmt::runtime(name), host, host / 2), host == 1 ? 95 : 10));
  for (int leaf = 0; leaf < 2; ++leaf) {
    cables.push_back(cable(fmt::format("leaf{} -> spine<0>", leaf), 80));
    cables.push_back(cable(fmt::format("spine<0> -> leaf{}", leaf), 0));
  }
  const auto svg = network_svg({{"network", {{"cables", cables}}}});
  EXPECT_THAT(svg, HasSubstr(">h0 to h1</text>"));
  EXPECT_THAT(svg, HasSubstr(">2 hosts</text>"));
  EXPECT_THAT(svg, HasSubstr("spine&lt;0&gt;"));
  EXPECT_THAT(svg, HasSubstr("leaf0 -&gt; spine&lt;0&gt; 80.0 %, back 0.0 %"));
  EXPECT_THAT(svg, HasSubstr("class=\"load4\""));  // h1's
  EXPECT_THAT(svg, HasSubstr("class=\"load3\""));
  EXPECT_LT(svg.find(">spine"), svg.size());
}

TEST(NetworkDrawing, IsLeftOutWhereNobodyCouldReadIt) {
  EXPECT_EQ(network_svg(Json::object()), "");
  Json cables = Json::array();
  for (int leaf = 0; leaf < 40; ++leaf)
    for (int host = 0; host < 2; ++host) cables.push_back(cable(fmt::format("h{}x{} -> l{}", leaf, host, leaf), 1));
  EXPECT_EQ(network_svg({{"network", {{"cables", cables}}}}), "");
}

TEST(NetworkDrawing, OfOneSwitchHasItAboveItsHosts) {
  const auto svg =
      network_svg({{"network", {{"cables", {cable("h0 -> s", 1), cable("h1 -> s", 1), cable("odd", 3)}}}}});
  EXPECT_THAT(svg, HasSubstr(">s</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("odd")));
}

}  // namespace
}  // namespace peerpath::report
