#include "observe/results_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

nlohmann::json written() {
  auto results = sample_results();
  scenario::Scenario scenario;
  scenario.expect.push_back({"stream.goodput_gbps", 320.0, std::nullopt, std::nullopt, 0.5});
  finish(results, scenario);
  ResultsContext context{"1.2.3", "netgpu/x"};
  context.scenario = {{"name", "x"}, {"run", {{"quantum", "1us"}, {"seed", 4}}}};
  context.origins = {{"/run/quantum", {{"from", "--set"}}}, {"/run/seed", {{"from", "default"}}}};
  return nlohmann::json::parse(results_text(results_document(results, context)));
}

TEST(ResultsJson, HoldsVersionScenarioAndNumbersAsNumbers) {
  const auto json = written();
  EXPECT_EQ(json["schema_version"], results_schema_version);
  EXPECT_EQ(json["peerpath"], "1.2.3");
  EXPECT_EQ(json["name"], "netgpu/x");
  EXPECT_EQ(json["scenario"]["run"]["seed"], 4);
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["expectations"][0]["ok"], true);
  EXPECT_EQ(json["traffic"][0]["way"], "nic0 -> switch0 -> gpu0");
  for (const auto& metric : json["metrics"]) EXPECT_TRUE(metric["value"].is_number()) << metric.dump();
}

TEST(ResultsJson, LeavesTheQuantumOut) {
  const auto json = written();
  EXPECT_FALSE(json["scenario"]["run"].contains("quantum"));
  EXPECT_FALSE(json["origins"].contains("/run/quantum"));
  EXPECT_TRUE(json["origins"].contains("/run/seed"));
}

TEST(ResultsJson, HistogramHoldsEverySample) {
  const auto json = written();
  std::int64_t samples = 0;
  for (const auto& [lower, count] : json["traffic"][0]["latency_fs"].items()) samples += count.get<std::int64_t>();
  EXPECT_EQ(samples, 100);
}

TEST(ResultsJson, LedgerHasBothDirectionsOfEveryLink) {
  const auto json = written();
  ASSERT_EQ(json["ledger"].size(), 6u);
  EXPECT_EQ(json["ledger"][2]["link"], "nic0-switch0");
  EXPECT_EQ(json["ledger"][2]["direction"], "up");
  EXPECT_EQ(json["ledger"][2]["rows"][0]["data_bytes"], 400'000);
}

}  // namespace
}  // namespace peerpath::observe
