// Networks find their warm-up and measured window.
#include <gtest/gtest.h>

#include "platform/network/run.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::network_run {
namespace {

Outcome incast(const std::string& length, const std::string& rate = "100Gbps", const std::string& size = "32KiB") {
  const auto loaded = network_scenario::load_text(
      R"({ "network": { "hosts": ["h0..h4"], "switches": ["s"], "cables": [{ "from": "h0..h4", "to": "s", "rate": ")" +
          rate + R"(" }] }, "nics": { "dcqcn": "vendor" },
    "rdma": [{ "name": "in", "from": "h0..h3", "to": "h4", "size": ")" +
          size + R"(", "outstanding": 8 }], "run": {)" + length + "} }",
      "test.json", scenario::in_memory({}));
  EXPECT_TRUE(loaded && *loaded) << (loaded ? scenario::lines_of(loaded->error()) : "");
  if (!loaded || !*loaded) return {};
  auto outcome = run(**loaded);
  return outcome ? std::move(*outcome) : Outcome{};
}

double goodput(const Outcome& outcome) {
  return observe::find_metric(outcome.results, "in.goodput_gbps")->value->value();
}

std::string warnings(const Outcome& outcome) {
  std::string text;
  for (const auto& warning : outcome.results.steady.warnings) text += warning + "\n";
  return text;
}

/// DCQCN cuts the rates of all senders in the first 100 us, and takes milliseconds to raise them again.
TEST(NetworkWindow, WaitsForTheRatesOfDcqcn) {
  const auto found = incast("");
  const auto longer = incast(R"("warmup": "50ms", "measure": "50ms")");
  EXPECT_TRUE(found.results.steady.found && found.results.steady.judged);
  EXPECT_EQ(warnings(found), "");
  EXPECT_NEAR(goodput(found), goodput(longer), goodput(longer) / 100);
  EXPECT_TRUE(observe::find_metric(found.results, "in.goodput_gbps")->half_width.has_value());
  EXPECT_FALSE(longer.results.steady.found);
}

TEST(NetworkWindow, WarnsWhereItEndsTooEarly) {
  const auto cut = incast(R"("at_most": "1ms")");
  EXPECT_NE(warnings(cut).find("in.goodput_gbps has not settled: "), std::string::npos) << warnings(cut);
  EXPECT_LE(cut.results.warmup + cut.results.window, std::chrono::milliseconds{1});
}

/// Cuts leave four senders at 14 to 100 Gb/s, and the first increase comes 300 us later. Meanwhile nothing moves, while
/// the full queue of the switch keeps goodput at the rate of the cable.
TEST(NetworkWindow, DoesNotEndBetweenTwoStepsOfDcqcn) {
  const auto found = incast("", "100Gbps", "16KiB");
  EXPECT_GT(found.results.window, std::chrono::microseconds{300});
  const auto longer = incast(R"("warmup": "2ms", "measure": "20ms")", "100Gbps", "16KiB");
  const auto median = [](const Outcome& outcome) {
    return observe::find_metric(outcome.results, "in.latency_p50_us")->value->value();
  };
  EXPECT_NEAR(median(found), median(longer), median(longer) / 100);
}

/// Shares of four senders differ by tens of percent after 10 ms, and for 100 ms more; within 10 ms they hardly move.
TEST(NetworkWindow, SaysThatDcqcnHasNotEvenedOutRates) {
  const auto cut = incast(R"("at_most": "25ms")", "25Gbps", "16KiB");
  EXPECT_NE(warnings(cut).find("in.latency_p50_us has not settled: congestion control allows connections rates from "),
            std::string::npos)
      << warnings(cut);
  EXPECT_NE(warnings(cut).find(" ms to even them out; increase run.at_most"), std::string::npos) << warnings(cut);
}

TEST(NetworkWindow, HonoursWhatIsGiven) {
  const auto given = incast(R"("warmup": "0us", "measure": "1ms")");
  EXPECT_EQ(given.results.warmup, Duration{0});
  EXPECT_EQ(given.results.window, std::chrono::milliseconds{1});
  EXPECT_NE(warnings(given).find("increase run.measure"), std::string::npos) << warnings(given);
}

}  // namespace
}  // namespace peerpath::network_run
