// Hosts that a cable joins, and sockets of one host: no frame and no byte is lost unseen, and peers that cross keep to
// the limits of their way.
#include "devices/nic/platform.hpp"
#include "loop/loop.hpp"
#include "platform/hardware_events.hpp"
#include "platform/test_run.hpp"
#include "platform/traffic_setup.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::platform {
namespace {

scenario::Scenario shipped(const char* file, std::vector<std::string> overrides) {
  scenario::LoadOptions options;
  options.overrides = std::move(overrides);
  options.overrides.emplace_back("expect=[]");
  const auto loaded = scenario::load(scenario::shipped_scenarios() / "hosts" / file, options);
  EXPECT_TRUE(loaded) << (loaded ? "" : scenario::lines_of(loaded.error()));
  return loaded ? loaded->scenario : scenario::Scenario{};
}

/// What both NICs of a cable have counted.
struct Cabled {
  nic::NicCounters sender, receiver;
  std::int64_t under_way() const { return sender.tx_frames - receiver.rx_frames - receiver.dropped(); }
};

/// After `time` of two_hosts.json, from the start on.
Cabled after(Duration time, std::vector<std::string> overrides) {
  const auto s = shipped("two_hosts.json", std::move(overrides));
  Meter meter{Instant{}, Instant{time}, {}};
  Platform platform{s, fabric::Mode::train};
  HardwareEvents events{s, platform};
  const TrafficSetup traffic{s, platform, meter, {}};
  auto& domain = platform.domain;
  domain.make();
  events.built(domain.topology(), domain.fabric());
  loop::drive(domain.reactor(), Instant{time}, s.run.quantum, {});
  return {platform.find<Nic>("n[0].nic0")->behaviour().counters(),
          platform.find<Nic>("n[1].nic0")->behaviour().counters()};
}

/// Nothing is sent after 60 us: what the sender would send can be read no more.
constexpr const char* sender_ends = R"(events=[{"at": "60us", "kind": "surprise_down", "device": "n[0].gpu0"}])";

TEST(Cable, EveryFrameThatIsSentArrives) {
  const auto c = after(200us, {sender_ends, R"(traffic.tx.sizes=["4KiB", "20KiB", "64B"])"});
  EXPECT_GT(c.sender.tx_frames, 300);
  EXPECT_EQ(c.receiver.dropped(), 0);
  EXPECT_EQ(c.under_way(), 0);
  EXPECT_EQ(c.receiver.rx_bytes, c.sender.tx_bytes);
  EXPECT_EQ(c.receiver.rx_payload, c.sender.tx_payload);
}

TEST(Cable, WhatDoesNotFitIntoTheReceiverIsCountedThere) {
  const auto c = after(200us, {sender_ends, "devices.n[1].gpu0.write_rate=20Gbps"});
  EXPECT_GT(c.receiver.dropped(), 50);
  EXPECT_EQ(c.under_way(), 0);
  EXPECT_EQ(c.receiver.rx_payload + c.receiver.rx_dropped_payload, c.sender.tx_payload);
}

TEST(Cable, HoldsWhatItsDelayTakes) {
  // Frames of 4 KiB take 4186 B on the wire: one each 167.44 ns. 40 us long, it holds 239 of them.
  const auto long_cable = after(400us, {"cables.0.delay=40us"}), short_cable = after(400us, {"cables.0.delay=15ns"});
  EXPECT_EQ(long_cable.sender.tx_frames, short_cable.sender.tx_frames);
  EXPECT_NEAR(static_cast<double>(long_cable.under_way() - short_cable.under_way()), 40'000 / 167.44, 1);
  EXPECT_GT(short_cable.receiver.rx_frames, 200);
}

TEST(Cable, ThatIsSlowerThanItsPortsSlowsTheSender) {
  const auto r = results_of(shipped("two_hosts.json", {"cables.0.rate=100Gbps", "traffic.tx.rate=100Gbps"}));
  EXPECT_NEAR(metric(r, "tx.goodput_gbps"), 195.7 / 2, 1);
  EXPECT_NEAR(metric(r, "rx.goodput_gbps"), 195.7 / 2, 1);
  EXPECT_EQ(metric(r, "rx.dropped_packets"), 0);
}

// results_of() holds every router of both hosts to its ledger; here, that both hosts carried the same payload.
TEST(Cable, LedgersOfBothHostsBalance) {
  const auto r = results_of(shipped("two_hosts.json", {"run.warmup=50us", "run.measure=200us"}));
  const auto out = metric(r, "n[0].nic0-n[0].sw0.down.payload_bytes");
  EXPECT_NEAR(metric(r, "n[0].gpu0-n[0].sw0.up.payload_bytes"), out, 16 * 4096);
  EXPECT_NEAR(metric(r, "n[1].nic0-n[1].sw0.up.payload_bytes"), out, 16 * 4096);
  EXPECT_NEAR(metric(r, "n[1].gpu0-n[1].sw0.down.payload_bytes"), out, 16 * 4096);
}

observe::Results misplaced(std::vector<std::string> overrides) {
  overrides.insert(overrides.end(), {"run.warmup=200us", "run.measure=400us"});
  return results_of(shipped("dual_socket_misplaced.json", std::move(overrides)));
}

TEST(PeerCrossing, WritesOfPeersKeepToTheirRate) {
  const auto r = misplaced({"inter_socket.0.peer_write_rate=50Gbps", "inter_socket.0.peer_read_rate=10Gbps"});
  EXPECT_NEAR(metric(r, "rx.goodput_gbps"), 50, 0.5);
  EXPECT_NEAR(metric(r, "rc1-rc0.down.payload_gbps"), 50, 0.5);
  EXPECT_GT(metric(r, "rx.dropped_packets"), 0);
}

TEST(PeerCrossing, ReadsOfPeersKeepToTheirs) {
  const auto r = misplaced({R"(traffic=[{"name": "rx", "kind": "transmit", "from": "nic0", "to": "gpu1",
                                         "headers_to": "dram0", "rate": "200Gbps", "sizes": "4KiB", "flows": 16}])",
                            "inter_socket.0.peer_write_rate=10Gbps", "inter_socket.0.peer_read_rate=50Gbps"});
  EXPECT_NEAR(metric(r, "rx.goodput_gbps"), 50, 0.5);
  EXPECT_NEAR(metric(r, "rc1-rc0.up.payload_gbps"), 50, 0.5);
}

/// The GPU of one socket writes to the memory of the other.
constexpr const char* writes_to_memory =
    R"(traffic=[{"name": "rx", "kind": "write", "from": "gpu1", "to": "dram0", "rate": "100Gbps", "sizes": "4KiB"}])";

TEST(PeerCrossing, WhatGoesToMemoryHasNoLimitOfPeers) {
  const auto r = misplaced({writes_to_memory, "inter_socket.0.peer_write_rate=10Gbps"});
  EXPECT_NEAR(metric(r, "rc1-rc0.up.payload_gbps"), 100, 0.5);
}

TEST(PeerCrossing, WithoutForwardingPeersAreRefusedAndMemoryIsReached) {
  const auto r = misplaced({"inter_socket.0.forwards_peers=false"});
  EXPECT_EQ(metric(r, "rx.goodput_gbps"), 0);
  EXPECT_GT(metric(r, "rx.lost_bytes"), 1'000'000);
  EXPECT_EQ(metric(r, "gpu1.written_bytes"), 0);
  EXPECT_EQ(metric(r, "rc1-rc0.down.payload_bytes"), 0);
  EXPECT_EQ(r.ways.at(0), "nic0 -> rc0 -> rc0 unsupported requests");
  ASSERT_EQ(r.errors.size(), 1U);
  EXPECT_EQ(r.errors[0].device, "rc0");
  EXPECT_EQ(r.errors[0].error, "Unsupported Request Error Status");
  const auto memory = misplaced({"inter_socket.0.forwards_peers=false", writes_to_memory});
  EXPECT_EQ(metric(memory, "rx.lost_bytes"), 0);
  EXPECT_NEAR(metric(memory, "rc1-rc0.up.payload_gbps"), 100, 0.5);
}

}  // namespace
}  // namespace peerpath::platform
