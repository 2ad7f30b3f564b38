#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/network/run.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::network_run {
namespace {

using observe::Verdict;

Outcome run_text(const std::string& text, const Options& options = {}) {
  const auto loaded = network_scenario::load_text(text, "test.json", scenario::in_memory({}));
  EXPECT_TRUE(loaded && *loaded) << (loaded ? scenario::lines_of(loaded->error()) : "");
  if (!loaded || !*loaded) return {};
  auto outcome = run(**loaded, options);
  EXPECT_TRUE(outcome) << scenario::lines_of(outcome ? Problems{} : outcome.error());
  return outcome ? std::move(*outcome) : Outcome{};
}

double value(const Outcome& outcome, const std::string& name) {
  const auto* metric = observe::find_metric(outcome.results, name);
  return metric != nullptr && metric->value ? metric->value->value() : -1;
}

constexpr const char* two_hosts = R"({
  "network": { "hosts": ["h0", "h1"], "switches": ["s"], "cables": [{ "from": "h0..h1", "to": "s", "rate": "100Gbps" }] },
  "rdma": [{ "name": "w", "from": "h0", "to": "h1", "outstanding": 32 }],
  "run": { "warmup": "100us", "measure": "1ms" },
  "expect": [{ "metric": "w.goodput_gbps", "at_least": 90 }, { "metric": "network.dropped", "equals": 1 }]
})";

TEST(NetworkRun, GoodputIsThatOfFramesAndExpectationsAreJudged) {
  const auto outcome = run_text(two_hosts);
  // 4096 bytes of payload in a frame of 4096 + 14 + 20 + 8 + 12 + 4, with FCS, preamble and gap 24 more.
  EXPECT_NEAR(value(outcome, "w.goodput_gbps"), 100.0 * 4096 / (4096 + 58 + 24), 0.6);
  ASSERT_EQ(outcome.results.expectations.size(), 2U);
  EXPECT_EQ(outcome.results.expectations[0].verdict, Verdict::ok);
  EXPECT_EQ(outcome.results.expectations[1].verdict, Verdict::failed);
  EXPECT_TRUE(outcome.results.complete);
  EXPECT_EQ(outcome.cables.size(), 4U);
}

TEST(NetworkRun, StopsWhenAskedAndSaysThatItIsIncomplete) {
  int asked = 0;
  Duration seen{};
  const auto outcome = run_text(
      two_hosts, {.progress = [&](Duration now, Duration) { seen = now; }, .stop = [&] { return ++asked == 2; }});
  EXPECT_FALSE(outcome.results.complete);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(outcome.results.warmup + outcome.results.window, seen);
  EXPECT_LT(outcome.results.window, outcome.results.wanted_window);
}

TEST(NetworkRun, AMetricOfWhatNeverEndedHasNoValue) {
  const auto outcome = run_text(R"({
    "network": { "clos": { "racks": 2, "hosts": 2, "spines": 1 } },
    "collectives": [{ "name": "sum", "hosts": "h0..h3", "bytes": "1GiB" }], "run": { "measure": "10us" } })");
  const auto* time = observe::find_metric(outcome.results, "sum.time_us");
  ASSERT_NE(time, nullptr);
  EXPECT_FALSE(time->value.has_value());
}

}  // namespace
}  // namespace peerpath::network_run
