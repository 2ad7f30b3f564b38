// A run ends when somebody wants it to, whatever it is doing.
#include "platform/test_run.hpp"

namespace peerpath::platform {
namespace {

TEST(StoppedRun, EndsThoughNextToNoTimePassesBetweenItsLooksForADeadlock) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu"));
  s.run.watchdog = Duration{1};  // 10^11 looks; scenario::check refuses it
  const auto results = results_of(s, {.stop = [] { return true; }});
  EXPECT_FALSE(results.complete);
  EXPECT_LT(results.window, *s.run.measure);
}

TEST(StoppedRun, KeepsWhatWasCounted) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 100_Gbps));
  s.run.warmup = Duration{0};
  s.run.measure = 1000s;
  const auto results = results_of(s, {.stop = [] { return true; }});
  EXPECT_FALSE(results.complete);
  EXPECT_GT(results.window, Duration{0});
  EXPECT_GT(results.traffic[0].delivered_packets, 0);
}

TEST(StoppedRun, SaysHowFarItIs) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 100_Gbps));
  std::vector<Duration> simulated;
  results_of(s, {.progress = [&](const Progress& p) {
               EXPECT_EQ(p.total, *s.run.warmup + *s.run.measure);
               simulated.push_back(p.simulated);
             }});
  ASSERT_FALSE(simulated.empty());
  EXPECT_TRUE(std::ranges::is_sorted(simulated));
  EXPECT_EQ(simulated.back(), *s.run.warmup + *s.run.measure);
}

}  // namespace
}  // namespace peerpath::platform
