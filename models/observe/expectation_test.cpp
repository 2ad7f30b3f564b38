#include <gtest/gtest.h>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

scenario::Expectation expect(std::string metric) {
  scenario::Expectation expectation;
  expectation.metric = std::move(metric);
  return expectation;
}

ExpectationResult judged(const scenario::Expectation& expectation) {
  auto results = sample_results();
  finish(results, {});
  const auto verdict = judge(results, expectation);
  EXPECT_TRUE(verdict.has_value());
  return verdict.value_or(ExpectationResult{});
}

TEST(Expectation, EqualsIsExactWithoutATolerance) {
  auto e = expect("switch0-rc0.up.payload_bytes");
  e.equals = 0;
  EXPECT_EQ(judged(e).verdict, Verdict::ok);
  e.metric = "switch0-rc0.up.header_bytes";
  EXPECT_EQ(judged(e).verdict, Verdict::failed);
}

TEST(Expectation, NothingMeasuredIsNeverWhatWasWanted) {
  auto results = sample_results();
  results.traffic[0].latency = {};
  finish(results, {});
  auto e = expect("stream.latency_p99_ns");
  e.at_most = 5000;
  const auto verdict = judge(results, e);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->found, std::nullopt);
  EXPECT_EQ(verdict->verdict, Verdict::failed) << "no packet arrived in time, as none arrived";
}

TEST(Expectation, WithinPercentIsOfTheWantedValue) {
  auto e = expect("stream.goodput_gbps");  // 320
  e.equals = 316;
  e.within_percent = 1;
  EXPECT_EQ(judged(e).verdict, Verdict::failed);  // 316 + 1 % = 319.16
  e.equals = 317;
  EXPECT_EQ(judged(e).verdict, Verdict::ok);
  EXPECT_EQ(judged(e).wanted, "= 317 +-1 %");
}

TEST(Expectation, BoundsAreInclusive) {
  auto e = expect("stream.goodput_gbps");
  e.at_least = 320;
  e.at_most = 320;
  EXPECT_EQ(judged(e).verdict, Verdict::ok);
  EXPECT_EQ(judged(e).wanted, ">= 320, <= 320");
  e.at_least = 320.5;
  EXPECT_EQ(judged(e).verdict, Verdict::failed);
  e.at_least = 1;
  e.at_most = 319.5;
  EXPECT_EQ(judged(e).verdict, Verdict::failed);
}

TEST(Expectation, WithoutABoundNothingPasses) {
  EXPECT_EQ(judged(expect("stream.goodput_gbps")).verdict, Verdict::failed);
}

TEST(Expectation, TheBottleneckIsNamedAtTheBeginningOfItsSentence) {
  auto e = expect("bottleneck");
  EXPECT_EQ(judged(e).verdict, Verdict::failed) << "without a bound nothing passes";
  e.is = "the arrival rate";
  EXPECT_EQ(judged(e).verdict, Verdict::ok);
  EXPECT_EQ(judged(e).wanted, "is \"the arrival rate\"");
  EXPECT_TRUE(judged(e).said.starts_with("the arrival rate: all"));
  e.is = "the arrival";
  EXPECT_EQ(judged(e).verdict, Verdict::ok) << "whole words are enough";
  e.is = "the arr";
  EXPECT_EQ(judged(e).verdict, Verdict::failed);
  e.is = "link nic0-switch0 up";
  EXPECT_EQ(judged(e).verdict, Verdict::failed);
}

TEST(Expectation, AWarningIsExpectedByItsBeginning) {
  auto results = sample_results();
  auto e = expect("warning");
  e.is = "stream has not settled";
  EXPECT_EQ(judge(results, e)->verdict, Verdict::failed);
  EXPECT_EQ(judge(results, e)->said, "none");
  results.steady.warnings = {"another one", "stream has not settled: its backlog grows"};
  EXPECT_EQ(judge(results, e)->verdict, Verdict::ok);
  EXPECT_EQ(judge(results, e)->said, results.steady.warnings[1]);
  results.warnings = {"writes by nic0 waited"};
  e.is = "writes by";
  EXPECT_EQ(judge(results, e)->said, "writes by nic0 waited");
  e.is.reset();
  EXPECT_EQ(judge(results, e)->verdict, Verdict::failed) << "without a bound nothing passes";
}

TEST(Expectation, UnknownMetricIsAProblemWithASuggestion) {
  auto results = sample_results();
  scenario::Scenario scenario;
  scenario.expect.push_back(expect("stream.godput_gbps"));
  scenario.expect.push_back(expect("utterly different"));
  const auto problems = finish(results, scenario);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].key, "/expect/0/metric");
  EXPECT_NE(problems[0].message.find("did you mean \"stream.goodput_gbps\"?"), std::string::npos)
      << problems[0].message;
  EXPECT_EQ(problems[1].message.find("did you mean"), std::string::npos) << problems[1].message;
}

}  // namespace
}  // namespace peerpath::observe
