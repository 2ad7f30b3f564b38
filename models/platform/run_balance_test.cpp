// The bytes of a traffic entry add up: offered = delivered + lost + read as all ones + dropped + growth of the backlog.
#include "platform/test_run.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::platform {
namespace {

namespace event = scenario::event;

/// Offered bytes of `entry` in the window, without drops.
Bytes accounted(const observe::TrafficResult& entry) {
  return entry.delivered_payload + entry.lost + entry.all_ones + entry.waiting_after - entry.waiting_before;
}

scenario::Scenario card_resets(decltype(scenario::Traffic::what) what) {
  auto t = traffic(std::move(what), "gpu", "card", 100_Gbps);
  t.as<scenario::traffic::Dma>()->window = 1_MiB;
  t.sizes = {16_KiB};
  auto s = below_one_switch(t);
  s.links.back().generation = 3;
  s.links.back().width = 4;  // a transfer takes 4 us
  s.run.warmup = 0us;
  s.events.push_back({.at = 50us, .what = event::PortReset{.outage = 5us}, .device = "card"});
  return s;
}

TEST(RunBalance, OfAWriteThatAResetCutsShortTheRestIsLost) {
  const auto r = results_of(card_resets(scenario::traffic::Write{}));
  EXPECT_GT(metric(r, "t.lost_bytes"), 16'384);
  EXPECT_NE(r.traffic[0].lost.count() % 16'384, 0) << "a part had arrived";
  EXPECT_EQ(accounted(r.traffic[0]), r.traffic[0].offered_payload);
}

TEST(RunBalance, OfAReadThatAResetCutsShortTheRestIsReadInVain) {
  const auto r = results_of(card_resets(scenario::traffic::Read{}));
  EXPECT_GT(metric(r, "t.all_ones_bytes"), 16'384);
  EXPECT_NE(r.traffic[0].all_ones.count() % 16'384, 0) << "a part had arrived";
  EXPECT_EQ(accounted(r.traffic[0]), r.traffic[0].offered_payload);
}

TEST(RunBalance, PaddingOfDoubleWordsIsNoPayload) {
  auto t = traffic(scenario::traffic::Write{}, "gpu", "dram", 40_Gbps);
  t.sizes = {200_B};
  t.as<scenario::traffic::Dma>()->offset = 3_B;
  auto s = below_one_switch(t);
  // Twice in the middle of some transfers: nothing moves in the window.
  s.run.warmup = 20us;
  s.run.measure = 5us;
  s.events.push_back({.at = 19us, .what = event::LinkDown{}, .device = "sw"});
  const auto still = results_of(s);
  EXPECT_EQ(metric(still, "t.payload_bytes"), 0);
  EXPECT_EQ(accounted(still.traffic[0]), still.traffic[0].offered_payload);
  s.events.clear();
  const auto r = results_of(s);
  EXPECT_GT(metric(r, "t.payload_bytes"), 20'000);
  EXPECT_EQ(accounted(r.traffic[0]), r.traffic[0].offered_payload);
}

TEST(RunBalance, ADropHasTheSizeOfItsFrame) {
  auto t = traffic(scenario::traffic::Receive{}, "nic", "gpu", 50_Gbps);
  t.sizes = {8_KiB, 1_KiB};
  auto s = below_one_switch(t);
  the<device::NicConfig>(s).mtu = 4096_B;  // of two frames one is too long
  const auto r = results_of(s);
  EXPECT_GT(metric(r, "t.dropped_packets"), 30);
  EXPECT_LT(metric(r, "t.queued_at_begin_bytes"), 10'240);
  EXPECT_LT(metric(r, "t.queued_at_end_bytes"), 10'240);
}

TEST(RunBalance, ABouncedPacketThatLacksAPartIsLostAsAWhole) {
  auto t = traffic(scenario::traffic::Receive{}, "nic", "gpu", 50_Gbps);
  t.path = scenario::DataPath::bounce;
  auto s = below_one_switch(t);
  the<device::NicConfig>(s).buffer_size = 2_KiB;  // two writes a packet
  s.run.warmup = 0us;
  s.events.push_back({.at = 5us, .what = event::Poison{.writes = 1}, .device = "nic"});
  const auto r = results_of(s);
  EXPECT_EQ(metric(r, "t.lost_bytes"), 4096);
  EXPECT_EQ(accounted(r.traffic[0]), r.traffic[0].offered_payload);
}

TEST(RunBalance, AStagedCopyGoesOnAfterAWriteToHostMemoryThatFailed) {
  auto t = traffic(scenario::traffic::Copy{.through = "dram", .chunk = 64_KiB}, "gpu", "gpu1", 30_Gbps);
  t.sizes = {64_KiB};
  auto s = below_one_switch(t);
  the<device::RootComplexConfig>(s).iommu.emplace();  // without mappings: it blocks every requester
  the<device::GpuConfig>(s).copies.emplace();
  s.devices.push_back({"gpu1", the<device::GpuConfig>(s)});
  s.links.push_back(s.links.back());
  s.links.back().to = "gpu1";
  scenario::complete(s);
  s.run.warmup = 0us;
  s.run.measure = 200us;
  s.events.push_back({.at = 50us, .what = event::WrongRequesterId{.transfers = 5}, .device = "gpu"});
  const auto r = results_of(s);
  const auto& copies = r.traffic[0];
  EXPECT_GT(copies.lost, Bytes{});
  EXPECT_GT(copies.delivered_packets, 5);
  EXPECT_EQ(copies.delivered_payload + copies.waiting_after, copies.offered_payload);
}

TEST(RunBalance, ProgramsGoOnAfterAnAccessThatFailed) {
  scenario::LoadOptions options;
  options.overrides = {
      R"(events=[{"at": "100us", "kind": "answer", "device": "dram", "status": "unsupported_request"}])", "expect=[]",
      "traffic.echo.sizes=64KiB", "traffic.echo.flows=16"};
  const auto loaded = scenario::load(scenario::shipped_scenarios() / "gpunet/echo.json", options);
  ASSERT_TRUE(loaded) << scenario::lines_of(loaded.error());
  auto s = loaded->scenario;
  s.run.warmup = 0us;
  s.run.measure = 200us;
  const auto r = results_of(s);
  const auto& t = r.traffic.at(0);
  EXPECT_GT(t.lost + t.all_ones, Bytes{});
  EXPECT_EQ(t.delivered_payload + t.waiting_after, t.offered_payload);
}

}  // namespace
}  // namespace peerpath::platform
