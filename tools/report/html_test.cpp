#include "tools/report/html.hpp"

#include <gtest/gtest.h>

#include "tools/report/sample.hpp"

namespace peerpath::report {
namespace {

TEST(Html, EscapesWhatMeansSomething) { EXPECT_EQ(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;"); }

TEST(Html, JsonCannotEndItsScript) {
  const auto safe = script_safe(R"({"a": "</script><b>"})");
  EXPECT_EQ(safe.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(safe)["a"], "</script><b>");
}

TEST(Html, MissingPartsAreNullAndEmpty) {
  const Json json = {{"a", 1}};
  EXPECT_TRUE(at(json, "b").is_null());
  EXPECT_TRUE(at(at(json, "b"), "c").is_null());
  EXPECT_EQ(text_at(json, "a"), "");
  EXPECT_EQ(section("id", "Title", ""), "");
  EXPECT_EQ(table({"a"}, {}, 0), "");
}

TEST(Html, FindsMetrics) {
  const auto results = Json::parse(sample_results);
  EXPECT_EQ(metric(results, "rx.goodput_gbps"), 195.7);
  EXPECT_TRUE(metric(results, "rx.nothing").is_null());
  EXPECT_EQ(fixed(metric(results, "rx.goodput_gbps"), 2), "195.70");
  EXPECT_EQ(fixed(Json(), 2), "-");
}

}  // namespace
}  // namespace peerpath::report
