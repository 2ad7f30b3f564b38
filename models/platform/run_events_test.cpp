#include "platform/test_run.hpp"

#include <algorithm>

namespace peerpath::platform {
namespace {

namespace event = scenario::event;

TEST(RunEvents, FailuresAreOfTheFlowThatFailed) {
  auto reads = traffic(scenario::traffic::Read{}, "gpu", "dram", 20_Gbps);
  auto refused = reads;
  refused.name = "refused";
  refused.to = "card";
  refused.as<scenario::traffic::Dma>()->window = 64_KiB;
  auto lost = refused;
  lost.name = "lost";
  lost.what = scenario::traffic::Write{};
  auto s = below_one_switch(reads);
  s.traffic.insert(s.traffic.end(), {refused, lost});
  s.events.push_back({.at = 50us, .what = event::Answer{.status = pcie::Status::completer_abort}, .device = "card"});
  const auto r = results_of(s);
  EXPECT_EQ(metric(r, "t.all_ones_bytes"), 0);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 0);
  EXPECT_GT(metric(r, "refused.all_ones_bytes"), 10'000);
  EXPECT_EQ(metric(r, "refused.lost_bytes"), 0);
  EXPECT_GT(metric(r, "lost.lost_bytes"), 10'000);
  EXPECT_EQ(metric(r, "lost.all_ones_bytes"), 0);
}

TEST(RunEvents, WhatCannotBeReadIsNotSent) {
  auto s = below_one_switch(traffic(scenario::traffic::Transmit{}, "nic", "gpu", 100_Gbps));
  s.events.push_back({.at = 70us, .what = event::Answer{.status = pcie::Status::unsupported_request}, .device = "gpu"});
  const auto r = results_of(s);
  // what the NIC had by then, the middle of the window; the driver hears of it some 15 us later
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 195.7 / 2 * 0.5, 2);
  EXPECT_GT(metric(r, "t.all_ones_bytes"), 400'000);
  ASSERT_EQ(r.events.size(), 1U);
  EXPECT_EQ(r.events[0].what, "gpu answers unsupported_request from now on");
}

TEST(RunEvents, FaultsBeforeTheMeasurementAreSaid) {
  auto t = traffic(scenario::traffic::Write{}, "gpu", "card", 10_Gbps);
  t.as<scenario::traffic::Dma>()->window = 64_KiB;
  auto s = below_one_switch(t);
  s.events.push_back({.at = 5us, .what = event::Poison{.writes = 1}, .device = "gpu"});
  s.events.push_back({.at = 19us, .what = event::SurpriseDown{}, .device = "nic"});
  const auto r = results_of(s);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 0);
  ASSERT_EQ(r.faults.size(), 1U);
  ASSERT_EQ(r.errors.size(), 2U);
  EXPECT_EQ(r.errors[0].error, "Poisoned TLP Received Status");
  EXPECT_EQ(r.errors[1].error, "Surprise Down Error Status");
}

TEST(RunEvents, AFaultMeetsWhatIsReadyFromItsTimeOn) {
  // 64 transfers of 4 KiB are submitted ahead, 210 us at this rate.
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "gpu", "dram", 10_Gbps));
  s.events.push_back(
      {.at = 70us, .what = event::Answer{.status = pcie::Status::unsupported_request}, .device = "dram"});
  s.events.push_back({.at = 40us, .what = event::Poison{.writes = 2}, .device = "gpu"});
  const auto r = results_of(s);
  ASSERT_EQ(r.faults.size(), 2U);
  EXPECT_EQ(r.faults[0].what, "unsupported request");
  EXPECT_NEAR(r.faults[0].first.time_since_epoch() / 1us, 70, 5);
  EXPECT_EQ(r.faults[1].count, 2);
  EXPECT_NEAR(r.faults[1].first.time_since_epoch() / 1us, 40, 5);
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 4.5, 0.8);
}

TEST(RunEvents, AWriteToADeviceThatHangsIsNoCompletionTimeout) {
  auto t = traffic(scenario::traffic::Write{}, "gpu", "card");
  t.as<scenario::traffic::Dma>()->window = 64_KiB;
  auto s = below_one_switch(t);
  s.events.push_back({.at = 50us, .what = event::Answer{.status = pcie::Status::no_answer}, .device = "card"});
  const auto r = results_of(s);
  EXPECT_GT(metric(r, "t.lost_bytes"), 10'000);
  EXPECT_TRUE(r.errors.empty()) << r.errors[0].error;
  ASSERT_EQ(r.faults.size(), 1U);
  EXPECT_EQ(r.faults[0].what, "write without a receiver was not reported");
}

void expect_refused_at_root_complex(bool forwards) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu"));
  the<device::SwitchConfig>(s).acs = {pcie::AcsControl::request_redirect};
  the<device::RootComplexConfig>(s).forwards_peers = forwards;
  const auto r = results_of(s);
  EXPECT_GT(metric(r, "t.lost_bytes"), 100'000);
  EXPECT_EQ(metric(r, "gpu.written_bytes"), 0);
  EXPECT_EQ(metric(r, "dram.written_bytes"), 0);
  EXPECT_EQ(r.ways.at(0), "card -> sw -> rc -> rc unsupported requests");
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "rc");
}

TEST(RunEvents, WhatARootComplexDoesNotForwardIsNotWrittenToHostMemory) { expect_refused_at_root_complex(false); }
TEST(RunEvents, WhatARootPortWithoutUpstreamForwardingGetsBackIsNotWrittenToHostMemory) {
  expect_refused_at_root_complex(true);
}

TEST(RunEvents, ASocketWithoutPortsHasNoControls) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "dram", 10_Gbps));
  the<device::SwitchConfig>(s).acs = {pcie::AcsControl::upstream_forwarding};
  auto& link = s.links.front();  // the switch moves to the other socket
  link.from = "rc1";
  device::HostMemoryConfig near;
  near.at = "rc1";
  s.devices.push_back({"rc1", device::RootComplexConfig{}});
  s.devices.push_back({"dram1", near});
  s.inter_socket.push_back({.from = "rc", .to = "rc1", .rate = 160_Gbps});
  EXPECT_NEAR(metric_after_run(s, "t.goodput_gbps"), 10, 0.5);
}

TEST(RunEvents, WhatASwitchRefusesOnTheWayDownIsRecordedThere) {
  // The lower switch sends up what its devices mean for each other; the upper one gets it back and sends nothing down
  // by the port by which it came.
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu"));
  s.devices.push_back({"lower", device::SwitchConfig{.acs = {pcie::AcsControl::request_redirect}}});
  for (auto& link : s.links)
    if (link.from == "sw") link.from = "lower";
  s.links.push_back(s.links.back());
  s.links.back().from = "sw";
  s.links.back().to = "lower";
  const auto r = results_of(s);
  EXPECT_GT(metric(r, "t.lost_bytes"), 100'000);
  EXPECT_EQ(r.ways.at(0), "card -> lower -> sw -> sw unsupported requests");
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "sw");
  EXPECT_EQ(r.errors[0].error, "Unsupported Request Error Status");
}

/// What is written to host memory in the 100 us from 21 us on, of 4 KiB every 3.2768 us, if `event` happens.
double written_to_dram(const scenario::Event& event) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "gpu", "dram", 10_Gbps));
  the<device::RootComplexConfig>(s).iommu.emplace();
  s.run.warmup = 21us;  // what becomes ready at 19.7 us is there by then
  s.events.push_back(event);
  return metric(results_of(s), "dram.written_bytes");
}

// The first after 21 us becomes ready at 22.9, the last before 70 us at 68.8 (15 of them), before 121 us at 118.0 (30).
TEST(RunEvents, WhatHostMemoryRefusesIsNotWritten) {
  EXPECT_EQ(written_to_dram(
                {.at = 70us, .what = event::Answer{.status = pcie::Status::unsupported_request}, .device = "dram"}),
            15 * 4096);
}
TEST(RunEvents, WhatAnIommuRefusesIsNotWritten) {
  EXPECT_EQ(written_to_dram({.at = 70us, .what = event::IommuFault{}, .device = "gpu"}), 15 * 4096);
}
TEST(RunEvents, PoisonedDataIsNotWritten) {
  EXPECT_EQ(written_to_dram({.at = 70us, .what = event::Poison{.writes = 2}, .device = "gpu"}), 28 * 4096);
}
TEST(RunEvents, WhatAGpuRefusesIsNotWritten) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "card", "gpu", 10_Gbps));
  s.events.push_back({.at = 1us, .what = event::Answer{.status = pcie::Status::unsupported_request}, .device = "gpu"});
  EXPECT_EQ(metric(results_of(s), "gpu.written_bytes"), 0);
}

TEST(RunEvents, ARefusedWriteThatIsUnderWayAtTheStartOfTheWindowIsNoPayload) {
  // One lane: 4 KiB take 4.5 us, so that there is a write under way at all times.
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "gpu", "dram", 10_Gbps));
  for (auto& link : s.links)
    if (link.to == "gpu") link.generation = 3, link.width = 1;
  s.events.push_back({.at = 1us, .what = event::Answer{.status = pcie::Status::unsupported_request}, .device = "dram"});
  for (const Duration warmup : {20us, 21us, 22us, 23us, 24us}) {
    s.run.warmup = warmup;
    const auto r = results_of(s);
    EXPECT_EQ(metric(r, "t.payload_bytes"), 0);
    EXPECT_GT(metric(r, "t.lost_bytes"), 40'000);
    EXPECT_EQ(metric(r, "t.queued_at_begin_bytes") + 4096 * metric(r, "t.offered_packets"),
              metric(r, "t.lost_bytes") + metric(r, "t.queued_at_end_bytes"));
  }
}

TEST(RunEvents, ARootPortBlocksTranslatedRequests) {
  auto s = below_one_switch(traffic(scenario::traffic::Receive{}, "nic", "dram"));
  the<device::RootComplexConfig>(s).iommu.emplace();
  the<device::NicConfig>(s).ats.emplace();
  s.events.push_back({.at = 70us, .what = event::Acs{.acs = {pcie::AcsControl::translation_blocking}}, .device = "rc"});
  const auto r = results_of(s);
  EXPECT_GT(metric(r, "nic.ats_hits"), 100) << "until then";
  const auto blocked = std::ranges::find(r.errors, "ACS Violation Status", &observe::ErrorRecord::error);
  ASSERT_NE(blocked, r.errors.end());
  EXPECT_EQ(blocked->device, "rc");
  EXPECT_EQ(blocked->header.value()[0] >> 10 & 3, 2U) << "Address Type: translated";
  EXPECT_EQ(blocked->header.value()[1] >> 16, 0x0300U) << "03:00.0, as `peerpath route` shows the NIC";
}

TEST(RunEvents, WhereAPortBlocksTranslationRequestsAccessesGoUntranslated) {
  auto s = below_one_switch(traffic(scenario::traffic::Receive{}, "nic", "gpu", 50_Gbps));
  the<device::RootComplexConfig>(s).iommu.emplace();
  the<device::SwitchConfig>(s).acs = {pcie::AcsControl::translation_blocking};
  the<device::NicConfig>(s).ats.emplace();
  const auto r = results_of(s);
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 50, 2);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 0);
  EXPECT_EQ(metric(r, "nic.ats_hits"), 0);
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "sw");
  EXPECT_EQ(r.errors[0].error, "Advisory Non-Fatal Error Status (ACS Violation Status)");
  EXPECT_EQ(r.errors[0].header.value()[0] >> 10 & 3, 1U) << "Address Type: translation request";
}

/// A card whose transfers to `target` carry an unknown requester ID, below a switch that validates sources or
/// not.
scenario::Scenario spoofing(const decltype(scenario::Traffic::what)& kind, const char* target, bool validates,
                            int transfers = 0) {
  auto t = traffic(kind, "card", target);
  t.rate = 50_Gbps;
  auto s = below_one_switch(t);
  if (validates) the<device::SwitchConfig>(s).acs = {pcie::AcsControl::source_validation};
  the<device::DmaCardConfig>(s).function.completion_timeout = 60us;
  s.events.push_back({.at = 10us, .what = event::WrongRequesterId{.transfers = transfers}, .device = "card"});
  return s;
}

void expect_blocked_at_switch(const char* target) {
  const auto r = results_of(spoofing(scenario::traffic::Write{}, target, true));
  EXPECT_EQ(metric(r, std::string{target} + ".written_bytes"), 0);
  EXPECT_EQ(metric(r, "t.delivered_packets"), 0);
  EXPECT_NEAR(metric(r, "t.lost_bytes"), 50e9 / 8 * 100e-6, 10'000);
  EXPECT_EQ(metric(r, "sw-rc.up.payload_bytes"), 0);
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "sw");
  EXPECT_EQ(r.errors[0].error, "ACS Violation Status");
  EXPECT_EQ(r.errors[0].header.value().at(1) >> 16, 0xff00U);
  EXPECT_EQ(r.ways.at(0), "card -> sw -> sw ACS violations");
}

TEST(RunEvents, APortThatValidatesSourcesBlocksWritesToAPeer) { expect_blocked_at_switch("gpu"); }
TEST(RunEvents, APortThatValidatesSourcesBlocksWritesToHostMemory) { expect_blocked_at_switch("dram"); }

void expect_delivered(const scenario::Scenario& s) {
  const auto r = results_of(s);
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 50, 0.5);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 0);
  EXPECT_TRUE(r.errors.empty());
}

TEST(RunEvents, WhereNobodyValidatesSourcesWritesArriveAtAPeer) {
  expect_delivered(spoofing(scenario::traffic::Write{}, "gpu", false));
}

TEST(RunEvents, WhereNobodyValidatesSourcesWritesArriveInHostMemory) {
  expect_delivered(spoofing(scenario::traffic::Write{}, "dram", false));
}

TEST(RunEvents, AnIommuDoesNotSeeWhatPeersOfOneSwitchWrite) {
  auto s = spoofing(scenario::traffic::Write{}, "gpu", false);
  the<device::RootComplexConfig>(s).iommu.emplace();
  expect_delivered(s);
}

TEST(RunEvents, AnIommuRefusesARequesterIdThatNobodyHas) {
  auto s = spoofing(scenario::traffic::Write{}, "dram", false);
  the<device::RootComplexConfig>(s).iommu.emplace();
  const auto r = results_of(s);
  EXPECT_EQ(metric(r, "dram.written_bytes"), 0);
  EXPECT_EQ(metric(r, "t.delivered_packets"), 0);
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "rc");
  EXPECT_EQ(r.errors[0].error, "Unsupported Request Error Status");
}

TEST(RunEvents, OnlySoManyTransfersCarryAWrongRequesterId) {
  auto s = spoofing(scenario::traffic::Write{}, "gpu", true, 25);
  s.events[0].at = 50us;
  const auto r = results_of(s);
  EXPECT_EQ(metric(r, "t.failed_transfers"), 25);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 25 * 4096);
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].count, 25);
  EXPECT_NEAR(r.errors[0].first.value().time_since_epoch() / 1us, 50, 2);
  EXPECT_EQ(r.events.at(0).what, "25 transfers of card carry an unknown requester ID");
}

observe::Results spoofed_reads(bool validates) {
  auto r = results_of(spoofing(scenario::traffic::Read{}, "gpu", validates));
  EXPECT_EQ(metric(r, "t.delivered_packets"), 0);
  EXPECT_GT(metric(r, "t.all_ones_bytes"), 0);
  EXPECT_EQ(metric(r, "gpu.read_bytes"), 0);
  EXPECT_EQ(r.errors.at(r.errors.size() - 1).device, "card");
  EXPECT_EQ(r.errors.back().error, "Completion Timeout Status");
  return r;
}

TEST(RunEvents, ReadsThatArriveWithAWrongRequesterIdTimeOut) { EXPECT_EQ(spoofed_reads(false).errors.size(), 1U); }

TEST(RunEvents, ReadsThatAreBlockedForTheirRequesterIdTimeOutAndAreRecordedAtThePort) {
  const auto r = spoofed_reads(true);
  ASSERT_EQ(r.errors.size(), 2U);
  EXPECT_EQ(r.errors[0].device, "sw");
  EXPECT_EQ(r.errors[0].error, "Advisory Non-Fatal Error Status (ACS Violation Status)");
  EXPECT_EQ(*r.errors[1].first - *r.errors[0].first, 60us);
}

TEST(RunEvents, WhatATrainingLeavesAloneStaysAsItWas) {
  auto s = below_one_switch(traffic(scenario::traffic::Write{}, "gpu", "dram", 400_Gbps));
  s.events.push_back({.at = 1us, .what = event::Retrain{.width = 4}, .device = "gpu"});
  s.events.push_back({.at = 2us, .what = event::Retrain{.generation = 3}, .device = "gpu"});
  const auto r = results_of(s);
  // Gen3 x4: 31.5 Gb/s, of which 256 of 280 B are payload
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 31.5 * 256 / 280, 1.5);
}

scenario::Scenario card_writes(BitRate rate, const std::vector<scenario::Event>& events) {
  auto t = traffic(scenario::traffic::Write{}, "card", "dram");
  t.rate = rate;
  auto s = below_one_switch(t);
  s.events = events;
  return s;
}

TEST(RunEvents, ATrainedDownLinkHasTheFramingAndDllpsOfItsNewShape) {
  auto s = card_writes(100_Gbps, {{.at = 1us, .what = event::Retrain{.generation = 3, .width = 4}, .device = "card"}});
  s.links.back().generation = 6;
  const auto late = results_of(s);
  // Of 280 B, 24 are header and framing; a FLIT has no framing. A TLP takes 71.3 ns, so every fourth comes more than
  // the 214 ns after the last ACK (and UpdateFC) that cause another one: (256 + 28) x 1.4 / 4 + 115 symbols.
  EXPECT_NEAR(metric(late, "t.goodput_gbps"), 31.425 * 256 / 280, 0.2);
  EXPECT_EQ(metric(late, "card-sw.up.overhead_bytes"), 24 * metric(late, "card-sw.up.tlps"));
  EXPECT_NEAR(metric(late, "card-sw.down.dllps"), 701, 3);
  EXPECT_GE(metric(late, "card-sw.up.utilisation_percent"), 99);
}

TEST(RunEvents, ALinkThatIsDownStaysSoWhenItTrains) {
  const auto r = results_of(
      card_writes(100_Gbps, {{.at = 10us, .what = event::LinkDown{}, .device = "card"},
                             {.at = 40us, .what = event::Retrain{.width = 8, .outage = 1us}, .device = "card"},
                             {.at = 60us, .what = event::Retrain{.width = 16}, .device = "card"}}));
  EXPECT_EQ(metric(r, "card-sw.up.tlps"), 0);
}

TEST(RunEvents, ALinkIsUpWhenAllItsTrainingIsOver) {
  const auto r = results_of(
      card_writes(100_Gbps, {{.at = 10us, .what = event::Retrain{.width = 8, .outage = 200us}, .device = "card"},
                             {.at = 40us, .what = event::Retrain{.width = 4, .outage = 1us}, .device = "card"}}));
  EXPECT_EQ(metric(r, "card-sw.up.tlps"), 0);
}

}  // namespace
}  // namespace peerpath::platform
