#include "tools/report/sweep_page.hpp"

#include <gtest/gtest.h>

#include "tools/report/flows.hpp"

namespace peerpath::report {
namespace {

TEST(SweepPage, HoldsEveryPointAndEscapesIt) {
  const SweepSummary sweep{
      "a/<b>",         "goodput", "Gb/s",
      {"nic0.queues"}, 3,         {{0, {"1"}, "ok", "link x & y", 97.5, 1500.0}, {1, {"<2>"}, "crashed", "", {}, {}}}};
  const auto html = sweep_page(sweep);
  for (const auto* part :
       {"a/&lt;b&gt;", "A sweep of 3 points over 1 key; 2 completed", "97.50", "link x &amp; y", "&lt;2&gt;",
        "goodput Gb/s", R"("value":97.5,"latency":1500.0)", R"("value":null,"latency":null)"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_EQ(html.find("<2>"), std::string::npos);
}

TEST(Flows, AWayOfSeveralStagesHasTheHopsOfAll) {
  const auto flows = flows_of(Json::parse(R"({"traffic": [
    {"name": "rx", "way": "nic0 -> sw0 -> rc -> dram, then dram -> rc -> gpu0"}, {"name": "none", "way": "no payload crossed a link"}]})"));
  ASSERT_EQ(flows.size(), 2U);
  EXPECT_TRUE(flows[0].goes("sw0", "rc"));
  EXPECT_TRUE(flows[0].goes("rc", "gpu0"));
  EXPECT_FALSE(flows[0].goes("dram", "dram"));
  EXPECT_FALSE(flows[0].goes("rc", "sw0"));
  EXPECT_TRUE(flows[1].hops.empty());
  EXPECT_NE(legend(flows).find("class=\"flow1\""), std::string::npos);
}

}  // namespace
}  // namespace peerpath::report
