#include "validation/compare/runs.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace peerpath::compare {
namespace {

using Json = nlohmann::json;

struct Given {
  std::string name;
  double value;
  double half_width = -1;
};

std::string run_of(const std::vector<Given>& given, const std::vector<std::string>& warnings = {}) {
  Json metrics = Json::array();
  for (const auto& m : given) {
    Json metric{{"name", m.name}, {"unit", "Gb/s"}, {"value", m.value}};
    if (m.half_width >= 0) metric["half_width"] = m.half_width;
    metrics.push_back(metric);
  }
  return Json{{"metrics", metrics},
              {"bottleneck", "link a-b up"},
              {"steady", {{"warnings", warnings}}},
              {"scenario", {{"run", {{"precision", 1.0}}}, {"traffic", Json::array({Json::object()})}}}}
      .dump();
}

RunLine::Verdict verdict_of(const Given& a, const Given& b) {
  const auto comparison = compare_runs(run_of({a}), run_of({b}));
  return comparison && comparison->lines.size() == 1 ? comparison->lines.front().verdict : RunLine::Verdict::only_one;
}

TEST(Runs, DifferByMoreThanBothIntervals) {
  EXPECT_EQ(verdict_of({"rx.goodput_gbps", 100, 1}, {"rx.goodput_gbps", 102, 1}), RunLine::Verdict::better);
  EXPECT_EQ(verdict_of({"rx.goodput_gbps", 100, 1}, {"rx.goodput_gbps", 101, 1}), RunLine::Verdict::no_difference);
  EXPECT_EQ(verdict_of({"rx.goodput_gbps", 100, 1}, {"rx.goodput_gbps", 98, 1}), RunLine::Verdict::worse);
}

TEST(Runs, KnowWhatIsGood) {
  EXPECT_EQ(verdict_of({"rx.latency_p99_ns", 100, 0}, {"rx.latency_p99_ns", 101, 0}), RunLine::Verdict::worse);
  EXPECT_EQ(verdict_of({"sw-rc.payload_crossings", 1, 0}, {"sw-rc.payload_crossings", 0, 0}), RunLine::Verdict::less)
      << "fewer crossings or cores may only mean less traffic";
  EXPECT_EQ(verdict_of({"sw-rc.up.utilisation_percent", 50, 0}, {"sw-rc.up.utilisation_percent", 60, 0}),
            RunLine::Verdict::more);
}

TEST(Runs, GetNoVerdictOnWhatHasNotSettled) {
  using Warnings = std::vector<std::string>;
  const auto settled = [](const std::string& metric, const Warnings& warnings) {
    const auto comparison = compare_runs(run_of({{metric, 100, 1}}), run_of({{metric, 200, 1}}, warnings));
    return comparison->lines.front().verdict != RunLine::Verdict::not_settled;
  };
  EXPECT_TRUE(settled("rx.goodput_gbps", {}));
  EXPECT_FALSE(settled("rx.goodput_gbps", {"rx.goodput_gbps has not settled: 1 Gb/s in the first half"}));
  EXPECT_TRUE(settled("rx.goodput_gbps", {"rx.goodput_gbps: 95 % interval is ±3 %; increase run.measure"}));
  const Warnings grows{"rx has not settled: its backlog grows by 5.7 Gb/s; increase run.at_most"};
  EXPECT_FALSE(settled("rx.goodput_gbps", grows));
  EXPECT_FALSE(settled("rx.latency_p50_ns", grows));
  EXPECT_TRUE(settled("tx.goodput_gbps", grows)) << "the other entry";
  EXPECT_FALSE(settled("nic0-sw0.up.utilisation_percent", grows)) << "all entries share the link";
  EXPECT_FALSE(
      settled("cpu0.cores_busy", {"gpu0 transfers in flight grow by 5 Gb/s, now at 700 B; increase run.at_most"}));
  const Warnings overload{"rx: offered load exceeds capacity by 20 Gb/s; queueing latency grows without bound"};
  EXPECT_TRUE(settled("rx.goodput_gbps", overload));
  EXPECT_TRUE(settled("nic0-sw0.up.utilisation_percent", overload)) << "full, and so steady";
  EXPECT_FALSE(settled("rx.latency_p99_ns", overload));
}

TEST(Runs, TakeThePrecisionWhereThereIsNoInterval) {
  EXPECT_EQ(verdict_of({"cpu0.cores_busy", 1.00}, {"cpu0.cores_busy", 1.01}), RunLine::Verdict::no_difference);
  EXPECT_EQ(verdict_of({"cpu0.cores_busy", 1.00}, {"cpu0.cores_busy", 1.02}), RunLine::Verdict::more);
}

TEST(Runs, BreakARuleByMoreThanItsPercentageAndTheIntervals) {
  const auto rule = read_fail_if("rx.goodput_gbps drops 1%");
  ASSERT_TRUE(rule);
  const auto broken = [&](double to, double half) {
    return breaks(*compare_runs(run_of({{"rx.goodput_gbps", 100, half}}), run_of({{"rx.goodput_gbps", to, half}})),
                  *rule);
  };
  EXPECT_TRUE(*broken(98.9, 0.1));
  EXPECT_FALSE(*broken(99.1, 0.1));
  EXPECT_FALSE(*broken(98.9, 2));  // not shown
  EXPECT_FALSE(*broken(110, 0.1));
}

TEST(Runs, SayWhatIsNoRule) {
  for (const auto* text : {"", "rx.goodput_gbps", "rx.goodput_gbps falls 1%", "rx.goodput_gbps drops 1",
                           "rx.goodput_gbps drops x%", "rx.goodput_gbps drops -1%"})
    EXPECT_FALSE(read_fail_if(text)) << text;
  const auto comparison = compare_runs(run_of({{"rx.goodput_gbps", 1}}), run_of({{"rx.goodput_gbps", 2}}));
  const auto unknown = breaks(*comparison, {"rx.godput_gbps", true, 1});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().find("did you mean \"rx.goodput_gbps\"?"), std::string::npos) << unknown.error();
}

TEST(Runs, AreWholeTransfersIfAllTrafficEnds) {
  EXPECT_FALSE(has_whole_transfers(run_of({})));
  EXPECT_TRUE(has_whole_transfers(R"({"scenario": {"traffic": [{"bytes": "1MiB"}]}})"));
  EXPECT_FALSE(has_whole_transfers(R"({"scenario": {"traffic": [{"bytes": "1MiB"}, {"bytes": "0B"}]}})"));
  EXPECT_FALSE(has_whole_transfers("no JSON"));
}

}  // namespace
}  // namespace peerpath::compare
