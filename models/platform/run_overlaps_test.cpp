// Events that meet each other or what was bounced: who reports what, and whose bytes are gone.
#include <algorithm>

#include "platform/test_run.hpp"

namespace peerpath::platform {
namespace {

namespace event = scenario::event;

/// A card writes 4 KiB to a GPU beside it every 3.2768 us, while `events` happen.
observe::Results card_to_gpu(const std::vector<scenario::Event>& events) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 10_Gbps));
  s.events = events;
  return results_of(s);
}

TEST(RunOverlaps, ADeviceIsBackWhenItsLastOutageIsOver) {
  const auto r = card_to_gpu({{.at = 40us, .what = event::PortReset{.outage = 60us}, .device = "gpu"},
                              {.at = 50us, .what = event::PortReset{.outage = 5us}, .device = "gpu"}});
  EXPECT_NEAR(metric(r, "t.lost_bytes"), 10e9 / 8 * 60e-6, 4096);
}

TEST(RunOverlaps, WhatFellOffTheBusStaysAwayAfterAReset) {
  const auto r = card_to_gpu({{.at = 40us, .what = event::SurpriseDown{}, .device = "gpu"},
                              {.at = 50us, .what = event::PortReset{.outage = 5us}, .device = "gpu"}});
  EXPECT_NEAR(metric(r, "t.lost_bytes"), 10e9 / 8 * 80e-6, 4096);
}

TEST(RunOverlaps, WhatAPortBlocksDoesNotComeToTheOneBelowWhichADeviceIsGone) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 10_Gbps));
  the<device::SwitchConfig>(s).acs = {pcie::AcsControl::source_validation};
  s.events = {{.at = 1us, .what = event::WrongRequesterId{}, .device = "card"},
              {.at = 60us, .what = event::PortReset{.outage = 10us}, .device = "gpu"},
              {.at = 90us, .what = event::SurpriseDown{}, .device = "gpu"}};
  const auto r = results_of(s);
  ASSERT_EQ(r.errors.size(), 2U);
  EXPECT_EQ(r.errors[0].error, "ACS Violation Status");
  EXPECT_EQ(r.errors[1].error, "Surprise Down Error Status");
}

TEST(RunOverlaps, WhatIsRedirectedGoesUpEvenIfItsTargetIsGone) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 10_Gbps));
  the<device::SwitchConfig>(s).acs = {pcie::AcsControl::request_redirect};
  the<device::RootComplexConfig>(s).acs = {pcie::AcsControl::upstream_forwarding};
  s.events.push_back({.at = 5us, .what = event::SurpriseDown{}, .device = "gpu"});
  const auto r = results_of(s);
  EXPECT_NEAR(metric(r, "sw-rc.up.payload_bytes"), metric(r, "t.lost_bytes"), 4096);
  EXPECT_GT(metric(r, "t.lost_bytes"), 100'000);
}

TEST(RunOverlaps, ADeviceFallsOffTheBusOnce) {
  const auto r = card_to_gpu({{.at = 40us, .what = event::SurpriseDown{}, .device = "nic"},
                              {.at = 50us, .what = event::SurpriseDown{}, .device = "nic"}});
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].first, Instant{40us});
}

void expect_refused_whatever_its_data(const scenario::Event& event, const char* who) {
  const auto r = card_to_gpu({event, {.at = 50us, .what = event::Poison{.writes = 3}, .device = "card"}});
  for (const auto& e : r.errors) {
    EXPECT_EQ(e.device, who);
    EXPECT_NE(e.error, "Poisoned TLP Received Status");
  }
  EXPECT_EQ(r.faults.size(), 1U);
}

TEST(RunOverlaps, ADeviceThatRefusesDoesNotLookForPoison) {
  expect_refused_whatever_its_data(
      {.at = 40us, .what = event::Answer{.status = pcie::Status::unsupported_request}, .device = "gpu"}, "gpu");
}
TEST(RunOverlaps, WhatADeviceThatIsGoneDoesNotGetIsNotPoisoned) {
  expect_refused_whatever_its_data({.at = 40us, .what = event::SurpriseDown{}, .device = "gpu"}, "sw");
}

void expect_root_complex_reports(const scenario::Event& event, const char* error) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "gpu", "dram", 10_Gbps));
  s.events.push_back(event);
  const auto r = results_of(s);
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "rc");
  EXPECT_EQ(r.errors[0].error, error);
}

TEST(RunOverlaps, PoisonThatComesToHostMemoryIsReportedByTheRootComplex) {
  expect_root_complex_reports({.at = 50us, .what = event::Poison{}, .device = "gpu"}, "Poisoned TLP Received Status");
}
TEST(RunOverlaps, WhatHostMemoryAbortsIsReportedByTheRootComplex) {
  expect_root_complex_reports(
      {.at = 50us, .what = event::Answer{.status = pcie::Status::completer_abort}, .device = "dram"},
      "Completer Abort Status");
}

TEST(RunOverlaps, WhoRefusesOneAfterTheOtherHasARecordEach) {
  // 6 writes become ready in the 20 us of the reset, 9 from 70 to 100 us, and 3 from 110 us on.
  const auto refused = pcie::Status::unsupported_request;
  const auto r = card_to_gpu({{.at = 30us, .what = event::PortReset{.outage = 20us}, .device = "gpu"},
                              {.at = 70us, .what = event::Answer{.status = refused}, .device = "gpu"},
                              {.at = 100us, .what = event::Answer{}, .device = "gpu"},
                              {.at = 110us, .what = event::Answer{.status = refused}, .device = "gpu"}});
  ASSERT_EQ(r.errors.size(), 2U);
  EXPECT_EQ(r.errors[0].device, "sw");
  EXPECT_NEAR(static_cast<double>(r.errors[0].count), 6, 1);
  EXPECT_EQ(r.errors[1].device, "gpu");
  EXPECT_NEAR(static_cast<double>(r.errors[1].count), 12, 1);
  EXPECT_NEAR(r.errors[1].first.value().time_since_epoch() / 1us, 72, 2);
}

TEST(RunOverlaps, BadTlpsBeforeTheMeasurementAreRecordedToo) {
  const auto r = card_to_gpu({{.at = 5us, .what = event::BitError{}, .device = "card"},
                              {.at = 50us, .what = event::BitError{.way = scenario::LinkWay::down}, .device = "gpu"}});
  EXPECT_EQ(metric(r, "card-sw.up.replays"), 0);
  ASSERT_EQ(r.errors.size(), 2U);
  const auto at = [&](const char* device) {
    return std::ranges::count_if(r.errors, [&](const auto& e) { return e.device == device && e.count == 1; });
  };
  EXPECT_EQ(at("sw"), 1);
  EXPECT_EQ(at("gpu"), 1);
}

TEST(RunOverlaps, ALineIsBusyWithAReplayOnlyAsFarAsTheWindowGoes) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 1_Gbps));
  s.links.back().replay_delay = 10ms;
  s.events.push_back({.at = 70us, .what = event::BitError{}, .device = "card"});
  // A transfer every 32.8 us: the one at 98.3 us is hit.
  EXPECT_NEAR(metric(results_of(s), "card-sw.up.utilisation_percent"), 21.7, 0.5);
}

TEST(RunOverlaps, ASaturatedLineIsNotBusyFor101Percent) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 600_Gbps));
  s.links.back().width = 1;
  s.links.back().generation = 1;
  s.run.measure = 10us;  // nine TLPs
  EXPECT_EQ(metric(results_of(s), "card-sw.up.utilisation_percent"), 100);
}

scenario::Scenario bounced(const decltype(scenario::Traffic::what)& kind) {
  auto t = traffic(kind, "nic", "gpu", 50_Gbps);
  t.path = scenario::DataPath::bounce;
  auto s = below_one_switch(t);
  s.run.warmup = 50us;
  return s;
}

TEST(RunOverlaps, WhatACopyEngineReadInVainIsNoGoodput) {
  auto s = bounced(scenario::traffic::Receive{});
  the<device::GpuConfig>(s).function.completion_timeout = 50us;
  s.events.push_back({.at = 60us, .what = event::WrongRequesterId{.transfers = 3}, .device = "gpu"});
  const auto r = results_of(s);
  // A copy brings what a round of the driver found, some packets at once.
  EXPECT_GE(metric(r, "t.failed_transfers"), 3);
  EXPECT_EQ(metric(r, "t.all_ones_bytes"), metric(r, "t.failed_transfers") * 4096);
}

TEST(RunOverlaps, WhatACopyEngineWroteInVainIsNoGoodput) {
  auto s = bounced(scenario::traffic::Transmit{});
  s.events.push_back({.at = 80us, .what = event::Poison{.writes = 3}, .device = "gpu"});
  const auto r = results_of(s);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 3 * 4096);
  EXPECT_EQ(metric(r, "t.failed_transfers"), 3);
}

TEST(RunOverlaps, TrafficThatEndsDoesSoWhereAPacketIsLost) {
  auto t = traffic(scenario::traffic::Receive{}, "nic", "gpu", 50_Gbps);
  t.as<scenario::traffic::Receive>()->bytes = 100_KiB;
  auto s = below_one_switch(t);
  s.run.warmup = 0us;
  s.events.push_back({.at = 5us, .what = event::Poison{}, .device = "nic"});
  const auto r = results_of(s);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 4096);
  EXPECT_LT(r.window, 40us);  // 25 packets are 17 us, and the driver hears of the last some 15 us later
}

TEST(RunOverlaps, LostBytesAreOfTheFlowThatLostThemWhereTwoGoIntoOneMemory) {
  auto t = traffic(scenario::traffic::Receive{}, "nic", "gpu", 50_Gbps);
  auto s = below_one_switch(t);
  t.name = "large";
  t.sizes = {8_KiB};
  t.rate = 100_Gbps;
  s.traffic.push_back(t);
  s.events.push_back({.at = 70us, .what = event::Answer{.status = pcie::Status::unsupported_request}, .device = "gpu"});
  const auto r = results_of(s);
  const auto lost = metric(r, "t.lost_bytes");
  EXPECT_GT(lost, 200'000);
  EXPECT_NEAR(metric(r, "large.lost_bytes") / lost, 2, 0.1);
}

}  // namespace
}  // namespace peerpath::platform
