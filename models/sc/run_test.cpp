#include "peerpath/sc/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "observe/finish.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::sc {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using scenario::EventKind;

/// NIC and GPU below one switch; `traffic` goes through them.
scenario::Scenario below_one_switch(const scenario::Traffic& traffic) {
  scenario::Scenario s;
  device::HostMemoryConfig dram;
  device::HostCpuConfig cpu;
  dram.at = cpu.at = "rc";
  s.devices = {{"rc", device::RootComplexConfig{}},
               {"dram", dram},
               {"cpu", cpu},
               {"sw", device::SwitchConfig{}},
               {"nic", device::NicConfig{}},
               {"gpu", device::GpuConfig{}},
               {"card", device::DmaCardConfig{}}};
  for (const auto& [from, to] : {std::pair{"rc", "sw"}, {"sw", "nic"}, {"sw", "gpu"}, {"sw", "card"}}) {
    scenario::Link link;
    link.from = from;
    link.to = to;
    s.links.push_back(link);
  }
  s.traffic = {traffic};
  s.run.warmup = 20us;
  s.run.measure = 100us;
  scenario::complete(s);
  return s;
}

observe::Results run(const scenario::Scenario& s, const RunOptions& options = {}) {
  auto results = run_model(s, options);
  EXPECT_TRUE(results);
  const auto problems = observe::finish(*results, s);
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(results->conservation.empty());
  return *results;
}

double metric(const observe::Results& results, const std::string& name) {
  const auto* found = observe::find_metric(results, name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? -1 : found->value.value();
}

scenario::Traffic traffic(scenario::TrafficKind kind, const char* from, const char* to,
                          BitRate rate = scenario::Traffic{}.rate) {
  scenario::Traffic t;
  t.name = "t";
  t.kind = kind;
  t.from = from;
  t.to = to;
  t.headers_to = "dram";
  t.rate = rate;
  return t;
}

/// The entry of a device of kind `Config`, of which there is one.
template <class Config>
Config& the(scenario::Scenario& s) {
  for (auto& device : s.devices)
    if (auto* config = std::get_if<Config>(&device.config)) return *config;
  fail("a device of this kind");
}

TEST(Run, ReceivedPayloadGoesStraightToTheGpu) {
  const auto r = run(below_one_switch(traffic(scenario::TrafficKind::receive, "nic", "gpu")));
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 195.7, 1);
  EXPECT_EQ(metric(r, "t.dropped_packets"), 0);
  EXPECT_EQ(metric(r, "sw-rc.up.payload_bytes"), 0);
  EXPECT_EQ(metric(r, "sw-rc.down.payload_bytes"), 0);
  EXPECT_EQ(metric(r, "sw-rc.payload_crossings"), 0);
  EXPECT_GT(metric(r, "sw-rc.up.header_bytes"), 0);
  EXPECT_GT(metric(r, "t.latency_p50_ns"), 300);
  EXPECT_GT(metric(r, "cpu.cores_busy"), 0);
  EXPECT_EQ(metric(r, "run.simulated_ns"), 100'000);
}

TEST(Run, BouncedPayloadCrossesTheUpstreamLinkTwice) {
  auto t = traffic(scenario::TrafficKind::receive, "nic", "gpu", 50_Gbps);
  t.path = scenario::DataPath::bounce;
  const auto r = run(below_one_switch(t));
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 195.7 / 4, 3);
  EXPECT_NEAR(metric(r, "sw-rc.payload_crossings"), 2, 0.1);
  EXPECT_GT(metric(r, "cpu.copied_gbps"), 40);
  EXPECT_GT(metric(r, "dram.written_gbps"), 80);
}

TEST(Run, SentPayloadIsBouncedThroughPinnedMemory) {
  auto t = traffic(scenario::TrafficKind::transmit, "nic", "gpu", 50_Gbps);
  t.path = scenario::DataPath::bounce;
  t.sizes = {64_KiB};
  const auto r = run(below_one_switch(t));
  EXPECT_GT(metric(r, "t.goodput_gbps"), 40);
  EXPECT_EQ(metric(r, "gpu-sw.down.payload_bytes"), 0);
  EXPECT_EQ(metric(r, "nic-sw.up.payload_bytes"), 0);
  EXPECT_NEAR(metric(r, "sw-rc.up.payload_bytes"), metric(r, "cpu.copied_bytes"), 4 * 65536);
  EXPECT_NEAR(metric(r, "sw-rc.down.payload_bytes"), metric(r, "cpu.copied_bytes"), 4 * 65536);
  EXPECT_EQ(r.traffic[0].requesters, (std::vector<std::string>{"gpu", "nic"}));
}

TEST(Run, SentPayloadThatFindsNoRoomInTheWindowIsBounced) {
  auto t = traffic(scenario::TrafficKind::transmit, "nic", "gpu", 50_Gbps);
  t.sizes = {64_KiB};
  t.registered = 512_MiB;
  auto s = below_one_switch(t);
  auto& gpu = the<device::GpuConfig>(s);
  gpu.bar_size = 256_MiB;
  gpu.bar1.when_full = device::Bar1Full::bounce;
  s.run.measure = 1ms;
  const auto r = run(s);
  EXPECT_GT(metric(r, "t.goodput_gbps"), 40);
  EXPECT_EQ(metric(r, "gpu-sw.down.payload_bytes"), 0);  // nobody reads it there
  EXPECT_NEAR(metric(r, "sw-rc.payload_crossings"), 2, 0.1);
  EXPECT_EQ(metric(r, "gpu.bar1_refused"), 1);
}

TEST(Run, DropsBelongToTheStreamThatLostThem) {
  // The second stream is more than the cores can copy; the first one needs no copy.
  auto fast = traffic(scenario::TrafficKind::receive, "nic", "gpu", 20_Gbps);
  auto slow = fast;
  slow.name = "slow";
  slow.path = scenario::DataPath::bounce;
  slow.rate = 170_Gbps;
  auto s = below_one_switch(fast);
  s.traffic.push_back(slow);
  the<device::NicConfig>(s).ring_entries = 64;
  s.run.warmup = 200us;
  const auto r = run(s);
  const auto &first = r.traffic[0], &second = r.traffic[1];
  EXPECT_GT(second.dropped_packets, 50);
  ASSERT_FALSE(r.faults.empty());
  EXPECT_GE(r.faults[0].first, Instant{s.run.warmup});
  const auto reasons = metric(r, "nic.dropped_fifo_full") + metric(r, "nic.dropped_no_buffer");
  EXPECT_EQ(static_cast<double>(first.dropped_packets + second.dropped_packets), reasons);
  // What is under way at either end of the window is all that may be missing besides drops.
  for (const auto* t : {&first, &second})
    EXPECT_NEAR(static_cast<double>(t->offered_packets - t->delivered_packets - t->dropped_packets), 0, 40) << t->name;
}

TEST(Run, PacketsAreSentFromGpuMemory) {
  const auto r = run(below_one_switch(traffic(scenario::TrafficKind::transmit, "nic", "gpu", 100_Gbps)));
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 195.7 / 2, 2);
  EXPECT_EQ(metric(r, "sw-rc.payload_crossings"), 0);
}

TEST(Run, ACardWrites) {
  const auto r = run(below_one_switch(traffic(scenario::TrafficKind::write, "card", "gpu", 100_Gbps)));
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 100, 0.5);
  EXPECT_EQ(metric(r, "sw-rc.payload_crossings"), 0);
}

TEST(Run, ACardReadsHostMemory) {
  const auto r = run(below_one_switch(traffic(scenario::TrafficKind::read, "card", "dram", 50_Gbps)));
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 50, 0.5);
  EXPECT_NEAR(metric(r, "sw-rc.payload_crossings"), 1, 0.01);
}

TEST(Run, AGpuWritesToHostMemoryByItself) {
  const auto r = run(below_one_switch(traffic(scenario::TrafficKind::write, "gpu", "dram", 50_Gbps)));
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 50, 0.5);
  EXPECT_NEAR(metric(r, "dram.written_gbps"), 50, 0.5);
}

TEST(Run, FailuresAreOfTheFlowThatFailed) {
  auto reads = traffic(scenario::TrafficKind::read, "gpu", "dram", 20_Gbps);
  auto refused = reads;
  refused.name = "refused";
  refused.to = "card";
  refused.window = 64_KiB;
  auto lost = refused;
  lost.name = "lost";
  lost.kind = scenario::TrafficKind::write;
  auto s = below_one_switch(reads);
  s.traffic.insert(s.traffic.end(), {refused, lost});
  s.events.push_back(
      {.at = 50us, .kind = scenario::EventKind::answer, .device = "card", .status = pcie::Status::completer_abort});
  const auto r = run(s);
  EXPECT_EQ(metric(r, "t.all_ones_bytes"), 0);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 0);
  EXPECT_GT(metric(r, "refused.all_ones_bytes"), 10'000);
  EXPECT_EQ(metric(r, "refused.lost_bytes"), 0);
  EXPECT_GT(metric(r, "lost.lost_bytes"), 10'000);
  EXPECT_EQ(metric(r, "lost.all_ones_bytes"), 0);
}

TEST(Run, PageRequestsOfANicEndInData) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::receive, "nic", "gpu"));
  the<device::RootComplexConfig>(s).iommu.emplace();
  the<device::NicConfig>(s).ats.emplace().page_request = 2us;
  s.traffic[0].rate = 20_Gbps;
  const auto r = run(s);
  EXPECT_GT(metric(r, "nic.page_requests"), 10);
  EXPECT_GT(metric(r, "t.goodput_gbps"), 10);
}

TEST(Run, MappingsThatAreTakenAwayAreGoneForTheDeviceTlbToo) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::receive, "nic", "dram", 50_Gbps));
  the<device::RootComplexConfig>(s).iommu.emplace();
  the<device::NicConfig>(s).ats.emplace();
  s.events.push_back({.at = 60us, .kind = scenario::EventKind::iommu_fault, .device = "nic"});
  EXPECT_GT(metric(run(s), "t.lost_bytes"), 100'000);
}

TEST(Run, IdBasedOrderingLetsCompletionsPassWritesOfOthers) {
  // The card writes to a GPU whose link is slow; what the NIC reads from host memory comes behind that at the switch.
  auto reads = traffic(scenario::TrafficKind::read, "nic", "dram", 100_Gbps);
  auto writes = traffic(scenario::TrafficKind::write, "card", "gpu");
  writes.name = "writes";
  auto s = below_one_switch(reads);
  s.traffic.push_back(writes);
  for (auto& link : s.links) {
    if (link.to == "gpu") link.generation = link.width = 1;
    if (link.to == "card") link.from = "rc";
  }
  the<device::NicConfig>(s).function.id_based_ordering = true;
  EXPECT_NEAR(metric(run(s), "t.goodput_gbps"), 100, 1);
}

TEST(Run, ADoorbellThatIsRefusedDoesNotRing) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::receive, "nic", "gpu"));
  the<device::NicConfig>(s).ring_entries = 32;
  s.events.push_back(
      {.at = 20us, .kind = scenario::EventKind::answer, .device = "nic", .status = pcie::Status::unsupported_request});
  const auto r = run(s);
  EXPECT_LE(r.traffic[0].delivered_packets, 4 * 32 + 64);  // the buffers that the queues had, and what was under way
  EXPECT_GT(metric(r, "nic.dropped_no_buffer"), 100);
}

TEST(Run, WhatCannotBeReadIsNotSent) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::transmit, "nic", "gpu", 100_Gbps));
  s.events.push_back(
      {.at = 70us, .kind = scenario::EventKind::answer, .device = "gpu", .status = pcie::Status::unsupported_request});
  const auto r = run(s);
  // what was sent by then, as the driver hears of it: some 15 us later
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 195.7 / 2 * 0.65, 5);
  EXPECT_GT(metric(r, "t.all_ones_bytes"), 400'000);
  ASSERT_EQ(r.events.size(), 1U);
  EXPECT_EQ(r.events[0].what, "gpu answers unsupported_request from now on");
}

TEST(Run, TheBottleneckMayBeMemoryChannels) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "card", "dram"));
  the<device::HostMemoryConfig>(s).channels = device::ChannelsConfig{.count = 2, .rate = 20_Gbps};
  EXPECT_EQ(run(s).bottleneck.substr(0, 20), "dram channels, busy ");
}

TEST(Run, TheBottleneckMayBeReadsAtATime) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::read, "card", "gpu"));
  the<device::GpuConfig>(s).peer_reads = 2;
  EXPECT_EQ(run(s).bottleneck.substr(0, 30), "gpu reads of peers at a time, ");
}

TEST(Run, FaultsBeforeTheMeasurementAreSaid) {
  auto t = traffic(scenario::TrafficKind::write, "gpu", "card", 10_Gbps);
  t.window = 64_KiB;
  auto s = below_one_switch(t);
  s.events.push_back({.at = 5us, .kind = scenario::EventKind::poison, .device = "gpu", .writes = 1});
  s.events.push_back({.at = 19us, .kind = scenario::EventKind::surprise_down, .device = "nic"});
  const auto r = run(s);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 0);
  ASSERT_EQ(r.faults.size(), 1U);
  ASSERT_EQ(r.errors.size(), 2U);
  EXPECT_EQ(r.errors[0].error, "Poisoned TLP Received Status");
  EXPECT_EQ(r.errors[1].error, "Surprise Down Error Status");
}

TEST(Run, AFaultMeetsWhatIsReadyFromItsTimeOn) {
  // 64 transfers of 4 KiB are submitted ahead, 210 us at this rate.
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "gpu", "dram", 10_Gbps));
  s.events.push_back(
      {.at = 70us, .kind = scenario::EventKind::answer, .device = "dram", .status = pcie::Status::unsupported_request});
  s.events.push_back({.at = 40us, .kind = scenario::EventKind::poison, .device = "gpu", .writes = 2});
  const auto r = run(s);
  ASSERT_EQ(r.faults.size(), 2U);
  EXPECT_EQ(r.faults[0].what, "unsupported request");
  EXPECT_NEAR(r.faults[0].first.time_since_epoch() / 1us, 70, 5);
  EXPECT_EQ(r.faults[1].count, 2);
  EXPECT_NEAR(r.faults[1].first.time_since_epoch() / 1us, 40, 5);
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 4.5, 0.8);
}

TEST(Run, AWriteToADeviceThatHangsIsNoCompletionTimeout) {
  auto t = traffic(scenario::TrafficKind::write, "gpu", "card");
  t.window = 64_KiB;
  auto s = below_one_switch(t);
  s.events.push_back(
      {.at = 50us, .kind = scenario::EventKind::answer, .device = "card", .status = pcie::Status::no_answer});
  const auto r = run(s);
  EXPECT_GT(metric(r, "t.lost_bytes"), 10'000);
  EXPECT_TRUE(r.errors.empty()) << r.errors[0].error;
  ASSERT_EQ(r.faults.size(), 1U);
  EXPECT_EQ(r.faults[0].what, "write that nobody took in, unnoticed");
}

TEST(Run, StreamsOfACardHaveTheirOwnRates) {
  auto fast = traffic(scenario::TrafficKind::write, "card", "gpu", 50_Gbps);
  auto slow = fast;
  slow.name = "slow";
  slow.rate = 10_Gbps;
  auto s = below_one_switch(fast);
  s.traffic.push_back(slow);
  const auto r = run(s);
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 50, 0.5);
  EXPECT_NEAR(metric(r, "slow.goodput_gbps"), 10, 0.5);
}

TEST(Run, StreamsIntoTheSameMemoryOfACardAreToldApart) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "card", "other"));
  s.devices.push_back({"other", device::DmaCardConfig{}});
  s.links.push_back(s.links.back());
  s.links.back().to = "other";
  s.traffic[0].rate = 50_Gbps;
  s.traffic.push_back(s.traffic[0]);
  s.traffic[1].name = "slow";
  s.traffic[1].rate = 10_Gbps;
  const auto r = run(s);
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 50, 0.5);
  EXPECT_NEAR(metric(r, "slow.goodput_gbps"), 10, 0.5);
}

/// The switch redirects, and the root complex sends nothing down again.
void expect_refused_at_root_complex(bool forwards) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "card", "gpu"));
  the<device::SwitchConfig>(s).acs = {pcie::AcsControl::request_redirect};
  the<device::RootComplexConfig>(s).forwards_peers = forwards;
  const auto r = run(s);
  EXPECT_GT(metric(r, "t.lost_bytes"), 100'000);
  EXPECT_EQ(metric(r, "gpu.written_bytes"), 0);
  EXPECT_EQ(metric(r, "dram.written_bytes"), 0);
  EXPECT_EQ(r.ways.at(0), "card -> sw -> rc -> rc unsupported requests");
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "rc");
}

TEST(Run, WhatARootComplexDoesNotForwardIsNotWrittenToHostMemory) { expect_refused_at_root_complex(false); }
TEST(Run, WhatARootPortWithoutUpstreamForwardingGetsBackIsNotWrittenToHostMemory) {
  expect_refused_at_root_complex(true);
}

TEST(Run, WhatASwitchRefusesOnTheWayDownIsRecordedThere) {
  // The lower switch sends up what its devices mean for each other; the upper one gets it back and sends nothing down
  // by the port by which it came.
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "card", "gpu"));
  s.devices.push_back({"lower", device::SwitchConfig{.acs = {pcie::AcsControl::request_redirect}}});
  for (auto& link : s.links)
    if (link.from == "sw") link.from = "lower";
  s.links.push_back(s.links.back());
  s.links.back().from = "sw";
  s.links.back().to = "lower";
  const auto r = run(s);
  EXPECT_GT(metric(r, "t.lost_bytes"), 100'000);
  EXPECT_EQ(r.ways.at(0), "card -> lower -> sw -> sw unsupported requests");
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "sw");
  EXPECT_EQ(r.errors[0].error, "Unsupported Request Error Status");
}

/// What is written to host memory in the 100 us from 21 us on, of 4 KiB every 3.2768 us, if `event` happens.
double written_to_dram(const scenario::Event& event) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "gpu", "dram", 10_Gbps));
  the<device::RootComplexConfig>(s).iommu.emplace();
  s.run.warmup = 21us;  // what becomes ready at 19.7 us is there by then
  s.events.push_back(event);
  return metric(run(s), "dram.written_bytes");
}

// The first after 21 us becomes ready at 22.9, the last before 70 us at 68.8 (15 of them), before 121 us at 118.0 (30).
TEST(Run, WhatHostMemoryRefusesIsNotWritten) {
  EXPECT_EQ(written_to_dram({.at = 70us,
                             .kind = scenario::EventKind::answer,
                             .device = "dram",
                             .status = pcie::Status::unsupported_request}),
            15 * 4096);
}
TEST(Run, WhatAnIommuRefusesIsNotWritten) {
  EXPECT_EQ(written_to_dram({.at = 70us, .kind = scenario::EventKind::iommu_fault, .device = "gpu"}), 15 * 4096);
}
TEST(Run, PoisonedDataIsNotWritten) {
  EXPECT_EQ(written_to_dram({.at = 70us, .kind = scenario::EventKind::poison, .device = "gpu", .writes = 2}),
            28 * 4096);
}
TEST(Run, WhatAGpuRefusesIsNotWritten) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "card", "gpu", 10_Gbps));
  s.events.push_back(
      {.at = 1us, .kind = scenario::EventKind::answer, .device = "gpu", .status = pcie::Status::unsupported_request});
  EXPECT_EQ(metric(run(s), "gpu.written_bytes"), 0);
}

TEST(Run, NoCreditIsHeldForLongerThanThereIs) {
  // 8 lines in 300 ns are 13.7 Gb/s; what is offered beyond that waits in ever longer queues, its rounds given away.
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "card", "dram", 100_Gbps));
  the<device::RootComplexConfig>(s).credits = device::CreditsConfig{.write_credits = 8, .write_latency = 300ns};
  s.run.warmup = 1us;
  s.run.measure = 20us;
  const auto r = run(s);
  const auto credits = std::ranges::find_if(
      r.resources, [](const auto& resource) { return resource.name.starts_with("rc memory credits for writes"); });
  ASSERT_NE(credits, r.resources.end());
  EXPECT_GT(credits->busy, credits->capacity * 9 / 10);
  EXPECT_LE(credits->busy, credits->capacity);
}

TEST(Run, ARootPortBlocksTranslatedRequests) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::receive, "nic", "dram"));
  the<device::RootComplexConfig>(s).acs = {pcie::AcsControl::translation_blocking};
  the<device::NicConfig>(s).ats.emplace();
  const auto r = run(s);
  EXPECT_EQ(metric(r, "t.delivered_packets"), 0);  // not even descriptors come
  EXPECT_EQ(metric(r, "dram.read_bytes"), 0);
  ASSERT_FALSE(r.errors.empty());
  EXPECT_EQ(r.errors[0].device, "rc");
  EXPECT_EQ(r.errors[0].error, "Advisory Non-Fatal Error Status (ACS Violation Status)");
}

/// A card whose transfers to `target` carry a requester ID that nobody has, below a switch that validates sources or
/// not.
scenario::Scenario spoofing(scenario::TrafficKind kind, const char* target, bool validates, int transfers = 0) {
  auto t = traffic(kind, "card", target);
  t.rate = 50_Gbps;
  auto s = below_one_switch(t);
  if (validates) the<device::SwitchConfig>(s).acs = {pcie::AcsControl::source_validation};
  the<device::DmaCardConfig>(s).function.completion_timeout = 60us;
  s.events.push_back(
      {.at = 10us, .kind = scenario::EventKind::wrong_requester_id, .device = "card", .transfers = transfers});
  return s;
}

void expect_blocked_at_switch(const char* target) {
  const auto r = run(spoofing(scenario::TrafficKind::write, target, true));
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

TEST(Run, APortThatValidatesSourcesBlocksWritesToAPeer) { expect_blocked_at_switch("gpu"); }
TEST(Run, APortThatValidatesSourcesBlocksWritesToHostMemory) { expect_blocked_at_switch("dram"); }

void expect_delivered(const scenario::Scenario& s) {
  const auto r = run(s);
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 50, 0.5);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 0);
  EXPECT_TRUE(r.errors.empty());
}

TEST(Run, WhereNobodyValidatesSourcesWritesArriveAtAPeer) {
  expect_delivered(spoofing(scenario::TrafficKind::write, "gpu", false));
}

TEST(Run, WhereNobodyValidatesSourcesWritesArriveInHostMemory) {
  expect_delivered(spoofing(scenario::TrafficKind::write, "dram", false));
}

TEST(Run, AnIommuDoesNotSeeWhatPeersOfOneSwitchWrite) {
  auto s = spoofing(scenario::TrafficKind::write, "gpu", false);
  the<device::RootComplexConfig>(s).iommu.emplace();
  expect_delivered(s);
}

TEST(Run, AnIommuRefusesARequesterIdThatNobodyHas) {
  auto s = spoofing(scenario::TrafficKind::write, "dram", false);
  the<device::RootComplexConfig>(s).iommu.emplace();
  const auto r = run(s);
  EXPECT_EQ(metric(r, "dram.written_bytes"), 0);
  EXPECT_EQ(metric(r, "t.delivered_packets"), 0);
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "rc");
  EXPECT_EQ(r.errors[0].error, "Unsupported Request Error Status");
}

TEST(Run, OnlySoManyTransfersCarryAWrongRequesterId) {
  auto s = spoofing(scenario::TrafficKind::write, "gpu", true, 25);
  s.events[0].at = 50us;
  const auto r = run(s);
  EXPECT_EQ(metric(r, "t.failed_transfers"), 25);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 25 * 4096);
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].count, 25);
  EXPECT_NEAR(r.errors[0].first.value().time_since_epoch() / 1us, 50, 2);
  EXPECT_EQ(r.events.at(0).what, "25 transfers of card carry a requester ID that nobody has");
}

observe::Results spoofed_reads(bool validates) {
  auto r = run(spoofing(scenario::TrafficKind::read, "gpu", validates));
  EXPECT_EQ(metric(r, "t.delivered_packets"), 0);
  EXPECT_GT(metric(r, "t.all_ones_bytes"), 0);
  EXPECT_EQ(metric(r, "gpu.read_bytes"), 0);
  EXPECT_EQ(r.errors.at(r.errors.size() - 1).device, "card");
  EXPECT_EQ(r.errors.back().error, "Completion Timeout Status");
  return r;
}

TEST(Run, ReadsThatArriveWithAWrongRequesterIdTimeOut) { EXPECT_EQ(spoofed_reads(false).errors.size(), 1U); }

TEST(Run, ReadsThatAreBlockedForTheirRequesterIdTimeOutAndAreRecordedAtThePort) {
  const auto r = spoofed_reads(true);
  ASSERT_EQ(r.errors.size(), 2U);
  EXPECT_EQ(r.errors[0].device, "sw");
  EXPECT_EQ(r.errors[0].error, "Advisory Non-Fatal Error Status (ACS Violation Status)");
  EXPECT_EQ(*r.errors[1].first - *r.errors[0].first, 60us);
}

TEST(Run, WhatATrainingLeavesAloneStaysAsItWas) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::write, "gpu", "dram", 400_Gbps));
  s.events.push_back({.at = 1us, .kind = scenario::EventKind::retrain, .device = "gpu", .width = 4});
  s.events.push_back({.at = 2us, .kind = scenario::EventKind::retrain, .device = "gpu", .generation = 3});
  const auto r = run(s);
  // Gen3 x4: 31.5 Gb/s, of which 256 of 280 B are payload
  EXPECT_NEAR(metric(r, "t.goodput_gbps"), 31.5 * 256 / 280, 1.5);
}

TEST(Run, PageRequestsAreServedSideBySide) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::receive, "nic", "gpu"));
  the<device::RootComplexConfig>(s).iommu.emplace();
  auto& nic = the<device::NicConfig>(s);
  nic.ats.emplace().page_request = 20us;
  nic.queues = 1;
  nic.interrupt_moderation = 1us;
  s.traffic[0].rate = 20_Gbps;
  s.run.warmup = 100us;
  const auto r = run(s);
  EXPECT_EQ(metric(r, "nic.dropped_fifo_full"), 0);
  // Each buffer is a new page. A packet waits 21.4 us for its own: 20 us and two translation requests. Its completion
  // waits as long for that of the packet that came last before, since the channel keeps its order. Without ATS 3.7 us.
  EXPECT_LE(metric(r, "t.latency_p50_ns"), 46'500);
}

scenario::Scenario card_writes(BitRate rate, const std::vector<scenario::Event>& events) {
  auto t = traffic(scenario::TrafficKind::write, "card", "dram");
  t.rate = rate;
  auto s = below_one_switch(t);
  s.events = events;
  return s;
}

TEST(Run, ATrainedDownLinkHasTheFramingAndDllpsOfItsNewShape) {
  auto s =
      card_writes(100_Gbps, {{.at = 1us, .kind = EventKind::retrain, .device = "card", .generation = 3, .width = 4}});
  s.links.back().generation = 6;
  const auto late = run(s);
  // Of 280 B, 24 are header and framing; a FLIT has no framing. A TLP takes 71.3 ns, so every fourth comes more than
  // the 214 ns after the last ACK (and UpdateFC) that cause another one: (256 + 28) x 1.4 / 4 + 115 symbols.
  EXPECT_NEAR(metric(late, "t.goodput_gbps"), 31.425 * 256 / 280, 0.2);
  EXPECT_EQ(metric(late, "card-sw.up.overhead_bytes"), 24 * metric(late, "card-sw.up.tlps"));
  EXPECT_NEAR(metric(late, "card-sw.down.dllps"), 701, 3);
  EXPECT_GE(metric(late, "card-sw.up.utilisation_percent"), 99);
}

TEST(Run, ALinkThatIsDownStaysSoWhenItTrains) {
  const auto r =
      run(card_writes(100_Gbps, {{.at = 10us, .kind = EventKind::link_down, .device = "card"},
                                 {.at = 40us, .kind = EventKind::retrain, .device = "card", .width = 8, .outage = 1us},
                                 {.at = 60us, .kind = EventKind::retrain, .device = "card", .width = 16}}));
  EXPECT_EQ(metric(r, "card-sw.up.tlps"), 0);
}

TEST(Run, ALinkIsUpWhenAllItsTrainingIsOver) {
  const auto r = run(
      card_writes(100_Gbps, {{.at = 10us, .kind = EventKind::retrain, .device = "card", .width = 8, .outage = 200us},
                             {.at = 40us, .kind = EventKind::retrain, .device = "card", .width = 4, .outage = 1us}}));
  EXPECT_EQ(metric(r, "card-sw.up.tlps"), 0);
}

TEST(Run, AStoppedRunIsMarked) {
  auto s = below_one_switch(traffic(scenario::TrafficKind::receive, "nic", "gpu"));
  s.run.measure = 10s;
  int calls = 0;
  Progress last;
  const auto r = run_model(s, {.progress = [&](const Progress& p) { last = p; }, .stop = [&] { return ++calls == 3; }});
  ASSERT_TRUE(r);
  EXPECT_FALSE(r->complete);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(last.total, Duration{10s} + 20us);
  EXPECT_EQ(r->window, last.simulated - 20us);
  EXPECT_GT(r->traffic[0].delivered_packets, 0);
}

}  // namespace
}  // namespace peerpath::sc
