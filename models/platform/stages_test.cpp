#include "platform/stages.hpp"

#include "platform/test_run.hpp"
#include "traffic/receive/setup.hpp"

namespace peerpath::platform {
namespace {

Instant at(std::int64_t ns) { return Instant{std::chrono::nanoseconds{ns}}; }

std::vector<std::int64_t> recorded(std::initializer_list<std::int64_t> ns) {
  auto stages = receive_stages();
  std::vector<Instant> moments;
  for (const auto n : ns) moments.push_back(at(n));
  record_packet(stages, moments);
  std::vector<std::int64_t> lengths;
  for (const auto& stage : stages) lengths.push_back(stage.time.largest().count() / 1'000'000);
  return lengths;
}

TEST(Stages, EachGoesFromOneMomentToTheNext) {
  EXPECT_EQ(recorded({0, 300, 350, 900, 1000, 5000, 8000}), (std::vector<std::int64_t>{300, 50, 550, 100, 4000, 3000}));
}

TEST(Stages, AMomentOutOfOrderTakesNothingFromTheSum) {
  // A completion that overtook its data; an interrupt long before the driver, which was still polling, took it.
  EXPECT_EQ(recorded({0, 300, 350, 1000, 900, 200, 8000}), (std::vector<std::int64_t>{300, 50, 650, 0, 0, 7000}));
  // An interrupt for others behind it, when it was already done.
  EXPECT_EQ(recorded({0, 300, 350, 900, 1000, 9000, 8000}), (std::vector<std::int64_t>{300, 50, 550, 100, 7000, 0}));
}

/// Of a run in which each packet has its stages recorded.
void sums_hold(scenario::Scenario s) {
  s.run.stage_interval = 1;
  const auto results = results_of(s);
  const auto& traffic = results.traffic[0];
  ASSERT_GT(traffic.latency.count(), 100);
  WideInt sum = 0;
  for (const auto& stage : traffic.stages) {
    EXPECT_EQ(stage.time.count(), traffic.latency.count());
    EXPECT_GE(stage.time.least(), Duration{0});
    sum += stage.time.sum();
  }
  EXPECT_TRUE(sum == traffic.latency.sum()) << "the stages of all packets are not their latency";
}

TEST(Stages, SumToTheLatencyOfWhatIsReceived) {
  sums_hold(below_one_switch(traffic(scenario::traffic::Receive{}, "nic", "gpu")));
}

TEST(Stages, SumToTheLatencyOfWhatIsSent) {
  sums_hold(below_one_switch(traffic(scenario::traffic::Transmit{}, "nic", "gpu")));
}

TEST(Stages, SumToTheLatencyOfWhatBounces) {
  auto bounced = traffic(scenario::traffic::Receive{}, "nic", "gpu", 50_Gbps);
  bounced.path = scenario::DataPath::bounce;
  sums_hold(below_one_switch(bounced));
}

Duration p50(const scenario::Scenario& s, const std::string& stage) {
  const auto results = results_of(s);
  for (const auto& found : results.traffic[0].stages)
    if (found.name == stage) return found.time.quantile(500'000);
  return {};
}

TEST(Stages, ModerationIsTheTimeThatItHoldsInterruptsBack) {
  auto s = below_one_switch(traffic(scenario::traffic::Receive{}, "nic", "gpu", 20_Gbps));
  the<device::NicConfig>(s).interrupt_frames = 10'000;
  the<device::NicConfig>(s).interrupt_moderation = 20us;
  EXPECT_GT(p50(s, "moderation"), 5us);
  the<device::NicConfig>(s).interrupt_moderation = Duration{0};
  EXPECT_LT(p50(s, "moderation"), 500ns);
}

TEST(Stages, TheParserTakesItsTime) {
  auto s = below_one_switch(traffic(scenario::traffic::Receive{}, "nic", "gpu", 20_Gbps));
  the<device::NicConfig>(s).pipeline_latency = 700ns;
  EXPECT_EQ(p50(s, "pipeline"), 700ns);
}

TEST(Stages, OnlyOneInAnIntervalIsRecorded) {
  auto s = below_one_switch(traffic(scenario::traffic::Receive{}, "nic", "gpu"));
  s.run.stage_interval = 10;
  const auto results = results_of(s);
  const auto all = results.traffic[0].latency.count();
  EXPECT_NEAR(static_cast<double>(results.traffic[0].stages[0].time.count()), static_cast<double>(all) / 10, 1);
}

}  // namespace
}  // namespace peerpath::platform
