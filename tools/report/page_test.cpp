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

TEST(Page, AnythingAtAllGivesAPage) {
  for (const auto* text : {"", "[]", "{\"metrics\": 3}", "{\"ledger\": [1, \"x\"]}", "{\"traffic\": [{}]}",
                           "{\"origins\": {\"/a\": 1}}"}) {
    const auto json = Json::parse(text, nullptr, false);
    EXPECT_NE(page(json, json).find("</html>"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace peerpath::report
