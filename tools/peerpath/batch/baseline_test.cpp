#include "tools/peerpath/batch/baseline.hpp"

#include <gmock/gmock.h>

namespace peerpath::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

study::Summary run_of(double goodput, double latency, std::vector<std::string> not_steady = {}) {
  study::Summary outcome;
  outcome.metrics = {{"rx.dropped_packets", 7}, {"rx.goodput_gbps", goodput}, {"rx.latency_p50_ns", latency}};
  outcome.not_steady = std::move(not_steady);
  return outcome;
}

TEST(Baselines, KeepNoCountOfAWindow) {
  Baseline baseline;
  EXPECT_THAT(accept(baseline, "a", run_of(100, 500)), IsEmpty());
  EXPECT_THAT(baseline.scenarios["a"], ElementsAre(Key("rx.goodput_gbps"), Key("rx.latency_p50_ns")));
}

TEST(Baselines, KeepNothingThatHasNotSettled) {
  Baseline baseline;
  accept(baseline, "a", run_of(100, 500));
  const auto left_out = accept(baseline, "a", run_of(100, 500, {"rx.latency_p50_ns has not settled: 1 ns in the"}));
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("rx.latency_p50_ns has not settled and is not kept")));
  EXPECT_THAT(baseline.scenarios["a"], ElementsAre(Key("rx.goodput_gbps")));
}

TEST(Baselines, GiveNoVerdictOnWhatHasNotSettled) {
  Baseline baseline;
  accept(baseline, "a", run_of(100, 500));
  EXPECT_THAT(drifts(baseline, "a", run_of(90, 600)), testing::SizeIs(2));
  const auto entry = run_of(90, 600, {"rx has not settled: its backlog grows by 5 Gb/s; increase run.at_most"});
  EXPECT_THAT(drifts(baseline, "a", entry), IsEmpty());
  EXPECT_THAT(
      without_verdict(baseline, "a", entry),
      ElementsAre(HasSubstr("rx.goodput_gbps has not settled: no verdict"), HasSubstr("rx.latency_p50_ns has")));
  const auto overload = run_of(90, 600, {"rx: offered load exceeds capacity by 5 Gb/s; queueing latency grows"});
  EXPECT_THAT(drifts(baseline, "a", overload), ElementsAre(HasSubstr("rx.goodput_gbps is 90, was 100")));
  EXPECT_THAT(without_verdict(baseline, "b", entry), IsEmpty());
}

TEST(Baselines, HearOfItFromAnotherProcess) {
  const auto again = study::unpacked(packed(run_of(90, 600, {"rx has not settled: its backlog grows"})), "");
  EXPECT_THAT(again.not_steady, ElementsAre("rx has not settled: its backlog grows"));
}

TEST(Baselines, PatternsTakeTheBracketsOfHostsAsTheyAre) {
  Baseline baseline;
  baseline.metrics = {"n[1].*"};
  study::Summary outcome;
  outcome.metrics = {{"n1.rx.goodput_gbps", 1}, {"n[1].rx.goodput_gbps", 2}};
  accept(baseline, "a", outcome);
  EXPECT_THAT(baseline.scenarios["a"], ElementsAre(Key("n[1].rx.goodput_gbps")));
}

}  // namespace
}  // namespace peerpath::cli
