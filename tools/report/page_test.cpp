#include "tools/report/page.hpp"

#include <gtest/gtest.h>

#include "tools/report/sample.hpp"

namespace peerpath::report {
namespace {

TEST(Page, NeedsNoNetwork) {
  const auto html = page(Json::parse(sample_results), Json::object());
  EXPECT_EQ(html.find("<link"), std::string::npos);
  EXPECT_EQ(html.find("src=\"http"), std::string::npos);
  EXPECT_EQ(html.find("@import"), std::string::npos);
}

TEST(Page, HoldsResultsAndEscapesThem) {
  const auto html = page(Json::parse(sample_results), {{"wall_seconds", 0.5}});
  for (const auto* part : {"netgpu/&lt;sample&gt;", "a &amp; b", "195.70", "nic0 -&gt; sw0 -&gt; gpu0", "x.json:3:5",
                           "wall_seconds", "byte ledger balances", "1 expectations hold"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_EQ(html.find("<sample>"), std::string::npos);
}

TEST(Page, OfANetworkHasItsCablesAndNoChartOfPcie) {
  const Json network = {{"said", {"the NIC of h4 paused its switch"}},
                        {"jobs", {{{"name", "training"}, {"ranks", {{{"host", "h7"}, {"exposed_us", 598.75}}}}}}},
                        {"cables", {{{"name", "s0 -> h4"}, {"busy_percent", 99.5}, {"paused_percent", 12.5}}}}};
  const auto html = page({{"network", network}}, Json::object());
  for (const auto* part :
       {"<li>the NIC of h4 paused its switch</li>", "s0 -&gt; h4", "99.5 %", "12.5 %", "training", "h7", "598.8"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  for (const auto* chart : {"id=\"resource-chart\"", "id=\"link-chart\"", "id=\"latency-chart\""})
    EXPECT_EQ(html.find(chart), std::string::npos) << chart;
}

TEST(Page, AnythingAtAllGivesAPage) {
  for (const auto* text : {"", "[]", "{\"metrics\": 3}", "{\"ledger\": [1, \"x\"]}", "{\"traffic\": [{}]}",
                           "{\"origins\": {\"/a\": 1}}", "{\"network\": {\"said\": [1], \"cables\": [2]}}"}) {
    const auto json = Json::parse(text, nullptr, false);
    EXPECT_NE(page(json, json).find("</html>"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace peerpath::report
