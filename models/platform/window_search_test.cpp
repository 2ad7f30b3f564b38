// Where measured windows begin and end, what they say of their precision, and what counts in them.
#include "platform/test_run.hpp"

namespace peerpath::platform {
namespace {

/// Runs that look for their window.
scenario::Scenario open(scenario::Scenario s) {
  s.run.warmup = s.run.measure = std::nullopt;
  return s;
}

std::string all_warnings(const observe::Results& results) {
  std::string text;
  for (const auto& warning : results.steady.warnings) text += warning + "\n";
  return text;
}

double half_width(const observe::Results& results, const std::string& name) {
  const auto* found = observe::find_metric(results, name);
  EXPECT_TRUE(found != nullptr && found->half_width) << name;
  return found == nullptr || !found->half_width ? 1e9 : found->half_width->value();
}

TEST(Goodput, IsTheBytesOfTheWindowAlsoOfLongTransfers) {
  auto t = traffic(scenario::traffic::Write{}, "card", "gpu", 200_Gbps);
  t.sizes = {1_MiB};
  const auto r = results_of(below_one_switch(t));
  // A TLP of 128 B at either end of the window, 100 us long; whole transfers would be wrong by 84 Gb/s each.
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), metric(r, "gpu-sw.down.payload_gbps"), 0.03);
  EXPECT_LE(metric(r, "t.payload_bytes"),
            metric(r, "t.offered_gbps") * 100e3 / 8 + metric(r, "t.queued_at_begin_bytes"));
}

TEST(Goodput, OfReadsIsWhatComesToTheReader) {
  auto t = traffic(scenario::traffic::Read{}, "card", "gpu", 50_Gbps);
  t.sizes = {1_MiB};
  const auto r = results_of(below_one_switch(t));
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), metric(r, "card-sw.down.payload_gbps"), 0.03);
}

TEST(Offered, CountsArrivalsWhateverTheirLaw) {
  auto t = traffic(scenario::traffic::Write{}, "gpu", "card", 100_Gbps);
  t.arrival = scenario::ArrivalLaw::poisson;
  auto s = below_one_switch(t);
  const auto one = metric_after_run(s, "t.offered_packets");
  s.run.seed = 2;
  const auto other = metric_after_run(s, "t.offered_packets");
  EXPECT_NE(one, other);
  EXPECT_NEAR(one, 100e3 * 100 / 8 / 4096, 6 * 17.5);  // 305 in the mean, of variance 305
  s.traffic[0].rate = 1_Gbps;
  s.traffic[0].arrival = scenario::ArrivalLaw::burst;
  s.traffic[0].burst = 100;  // one of them at 0 us, the next at 3277 us
  EXPECT_EQ(metric_after_run(s, "t.offered_packets"), 0);
}

TEST(Crossings, AreThoseOfTheEntryAlone) {
  auto rx = traffic(scenario::traffic::Receive{}, "nic", "gpu", 100_Gbps);
  auto copy = traffic(scenario::traffic::Write{}, "card", "dram", 50_Gbps);
  copy.name = "copy";
  auto s = below_one_switch(rx);
  s.traffic.push_back(copy);
  const auto r = results_of(s);
  EXPECT_NEAR(metric(r, "t.payload_crossings"), 2, 0.02);
  EXPECT_EQ(metric(r, "t.sw-rc.payload_crossings"), 0);
  EXPECT_NEAR(metric(r, "copy.sw-rc.payload_crossings"), 1, 0.01);
  EXPECT_GT(metric(r, "sw-rc.payload_crossings"), 0.2);  // that of all together says nothing of t
}

TEST(Crossings, OfTwoStreamsOfOneCardAreToldApart) {
  auto near = traffic(scenario::traffic::Write{}, "card", "gpu", 50_Gbps);
  auto far = traffic(scenario::traffic::Write{}, "card", "dram", 50_Gbps);
  far.name = "far";
  auto s = below_one_switch(near);
  s.traffic.push_back(far);
  const auto r = results_of(s);
  EXPECT_EQ(metric(r, "t.sw-rc.payload_crossings"), 0);
  EXPECT_NEAR(metric(r, "far.sw-rc.payload_crossings"), 1, 0.01);
}

TEST(WindowSearch, RegularTrafficEndsEarly) {
  const auto r = results_of(open(below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 100_Gbps))));
  EXPECT_TRUE(r.steady.judged && r.steady.found);
  EXPECT_EQ(all_warnings(r), "");
  EXPECT_LT(r.warmup + r.window, 220us);
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 100, 0.2);
  EXPECT_LE(half_width(r, "t.goodput_gbps"), 1);
  EXPECT_LE(half_width(r, "t.latency_p50_ns"), metric(r, "t.latency_p50_ns") / 100);
}

TEST(WindowSearch, GoesOnUntilIntervalsAreAsSmallAsAsked) {
  auto t = traffic(scenario::traffic::Write{}, "gpu", "card", 100_Gbps);
  t.arrival = scenario::ArrivalLaw::poisson;
  t.sizes = {512_B};  // a sum of n of them is known to 2 / sqrt(n): 10'000 make 2 %
  auto s = open(below_one_switch(t));
  s.run.precision = 5;
  const auto coarse = results_of(s);
  s.run.precision = 2;
  const auto fine = results_of(s);
  EXPECT_EQ(all_warnings(coarse) + all_warnings(fine), "");
  EXPECT_GT(fine.window, coarse.window);
  EXPECT_LE(half_width(fine, "t.goodput_gbps"), metric(fine, "t.goodput_gbps") / 50);
}

TEST(WindowSearch, SaysWhatNeverSettlesAndByHowMuch) {
  auto s = open(below_one_switch(traffic(scenario::traffic::Receive{}, "nic", "gpu", 200_Gbps)));
  the<device::GpuConfig>(s).write_rate = 193_Gbps;  // 195.7 come: the FIFO fills at 2.7 Gb/s, which takes 1.5 ms
  s.run.at_most = 1200us;
  const auto r = results_of(s);
  EXPECT_LE(r.warmup + r.window, 1200us);
  EXPECT_NE(all_warnings(r).find("t.latency_p50_ns has not settled: "), std::string::npos) << all_warnings(r);
  EXPECT_NE(all_warnings(r).find("t has not settled: its backlog grows by "), std::string::npos) << all_warnings(r);
}

TEST(WindowSearch, SaysThatASourceIsOverloaded) {
  const auto r = results_of(open(below_one_switch(traffic(scenario::traffic::Write{}, "gpu", "card", 600_Gbps))));
  EXPECT_NE(all_warnings(r).find("t: offered load exceeds capacity by "), std::string::npos) << all_warnings(r);
  EXPECT_EQ(all_warnings(r).find("goodput"), std::string::npos) << all_warnings(r);
}

TEST(WindowSearch, ALoadThatIsMeantToSaturateIsNotWarnedAbout) {
  auto s = open(below_one_switch(traffic(scenario::traffic::Write{}, "gpu", "card", 600_Gbps)));
  s.traffic[0].saturates = true;
  EXPECT_EQ(all_warnings(results_of(s)), "");
}

/// 200 Gb/s towards a Gen4 x8 NIC, whose link carries half of it: a NIC that drops for ever.
scenario::Scenario overloaded(Bytes max_payload, int seed) {
  auto t = traffic(scenario::traffic::Receive{}, "nic", "gpu", 200_Gbps);
  t.arrival = scenario::ArrivalLaw::poisson;
  auto s = open(below_one_switch(t));
  s.links[1].generation = 4;
  s.links[1].width = 8;
  for (auto* function : {&the<device::NicConfig>(s).function, &the<device::GpuConfig>(s).function})
    function->max_payload = function->max_payload_supported = max_payload;
  s.run.seed = seed;
  return s;
}

TEST(WindowSearch, RanksDesignsInOverloadWhateverTheSeed) {
  for (const int seed : {1, 2, 3}) {
    double smaller = 0;
    for (const Bytes max_payload : {128_B, 256_B, 512_B}) {
      const auto r = results_of(overloaded(max_payload, seed));
      const auto goodput = metric(r, "t.goodput_gbps");
      EXPECT_EQ(all_warnings(r), "");
      EXPECT_LE(half_width(r, "t.goodput_gbps"), goodput / 100);
      // Each TLP of one MPS has 24 B of header and framing more: so much of 126 Gb/s at most.
      const auto most = 8 * 16 * 128.0 / 130 * static_cast<double>(max_payload.count()) /
                        static_cast<double>(max_payload.count() + 24);
      EXPECT_LT(goodput, most);
      EXPECT_GT(goodput, most * 0.95);
      EXPECT_GT(goodput, smaller * 1.03);
      smaller = goodput;
    }
  }
}

TEST(WindowSearch, SaysThatAWindowWasTooShortForAnOverload) {
  auto s = overloaded(256_B, 1);
  s.run.warmup = 20us;
  s.run.measure = 200us;
  EXPECT_NE(all_warnings(results_of(s)).find("t has not settled: its backlog grows by "), std::string::npos);
}

/// Two sources of one GPU leave by its one queue. The slow one is offered more than its narrow link carries, and takes
/// ever more of the queue, until all of its transfers are in flight and hold the fast one back.
TEST(WindowSearch, GoesOnUntilTransfersInFlightHaveFilledAQueue) {
  auto slow = traffic(scenario::traffic::Read{}, "gpu", "card", 33_Gbps);
  slow.sizes = {32_KiB};
  auto fast = traffic(scenario::traffic::Read{}, "gpu", "dram", 200_Gbps);
  fast.name = "fast";
  fast.sizes = {32_KiB};
  auto s = open(below_one_switch(slow));
  s.traffic.push_back(fast);
  auto& gpu = the<device::GpuConfig>(s);
  gpu.kernels.emplace();
  gpu.kernels->one_queue = true;
  for (auto& link : s.links)
    if (scenario::device_of(link.to) == "card" || scenario::device_of(link.from) == "card") {
      link.generation = 3;
      link.width = 4;
    }
  const auto r = results_of(s);
  EXPECT_LT(metric(r, "fast.goodput_gbps"), 60);
  EXPECT_GT(r.window, 1ms);
  EXPECT_NE(all_warnings(r).find("t: offered load exceeds capacity by "), std::string::npos) << all_warnings(r);
  s.run.at_most = 300us;
  const auto cut = results_of(s);
  EXPECT_NE(all_warnings(cut).find("transfers are in flight; goodput may change"), std::string::npos)
      << all_warnings(cut);
}

/// The application offers more than the link carries. Its four rings of 1,024 packets fill for 3.7 ms.
TEST(WindowSearch, GoesOnUntilTransmitRingsAreFull) {
  auto t = traffic(scenario::traffic::Transmit{}, "nic", "gpu", 150_Gbps);
  auto s = open(below_one_switch(t));
  s.links[1].generation = 4;
  s.links[1].width = 8;
  const auto& nic = the<device::NicConfig>(s);
  const auto r = results_of(s);
  const auto excess = metric(r, "t.offered_gbps") - metric(r, "t.goodput_gbps");
  const auto ring_bits = nic.queues * nic.ring_entries * 4096.0 * 8;
  EXPECT_GE(static_cast<double>((r.warmup + r.window / 4) / 1ns), ring_bits / excess);
  EXPECT_EQ(all_warnings(r).find("transmit rings"), std::string::npos) << all_warnings(r);
  s.run.at_most = 600us;
  const auto cut = results_of(s);
  EXPECT_NE(all_warnings(cut).find("transmit rings of t grow by "), std::string::npos) << all_warnings(cut);
}

TEST(WindowSearch, KnowsCoarseTransfersFromAnOverload) {
  auto t = traffic(scenario::traffic::Write{}, "card", "gpu", 150_Gbps);
  t.sizes = {1_MiB};
  const auto found = results_of(open(below_one_switch(t)));
  EXPECT_EQ(all_warnings(found), "");
  EXPECT_NEAR(metric(found, "t.goodput_gbps"), 150, 0.1);
  auto s = below_one_switch(t);
  s.run.measure = 200us;  // three transfers and a half
  EXPECT_EQ(all_warnings(results_of(s)).find("exceeds"), std::string::npos) << all_warnings(results_of(s));
}

TEST(WindowSearch, HonoursWhatIsGiven) {
  auto s = below_one_switch(traffic(scenario::traffic::Receive{}, "nic", "gpu", 200_Gbps));
  the<device::GpuConfig>(s).write_rate = 193_Gbps;
  s.run.measure = 1200us;
  const auto given = results_of(s);
  EXPECT_EQ(given.warmup, 20us);
  EXPECT_EQ(given.window, 1200us);
  EXPECT_FALSE(given.steady.found);
  EXPECT_NE(all_warnings(given).find("t.latency_p50_ns has not settled"), std::string::npos) << all_warnings(given);

  auto steady = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 100_Gbps));
  steady.run.measure = std::nullopt;
  EXPECT_EQ(results_of(steady).warmup, 20us);
  steady.run.measure = 100us;
  steady.run.warmup = std::nullopt;
  const auto searched = results_of(steady);
  EXPECT_EQ(searched.window, 100us);
  EXPECT_GT(searched.warmup, Duration{0});
}

TEST(WindowSearch, DoesNotJudgeWhatEventsDisturb) {
  auto s = open(below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 100_Gbps)));
  s.events = {{.at = 100us, .what = scenario::event::LinkDown{}, .device = "gpu"}};
  const auto r = results_of(s);
  EXPECT_FALSE(r.steady.judged);
  EXPECT_EQ(r.warmup, 20us);
  EXPECT_EQ(r.window, 200us);
}

}  // namespace
}  // namespace peerpath::platform
