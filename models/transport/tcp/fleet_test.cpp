#include "transport/tcp/fleet_fixture.hpp"

#include <gtest/gtest.h>

namespace peerpath::tcp {
namespace {

using namespace testing;
using namespace std::chrono_literals;

TEST(TcpFleet, OneFlowTakesTheWholeWire) {
  for (const int mtu : {1500, 9000}) {
    auto config = free_of_cost();
    config.connection.mtu = mtu;
    Rig rig{2, 100_Gbps, config};
    const auto end = rig.send(0, 1, 500'000'000);
    rig.network.run(Instant{1s});
    EXPECT_EQ(rig.taken[end], 500'000'000);
    EXPECT_NEAR(gbps(500'000'000, rig.done[end].time_since_epoch()), 100.0 * (mtu - 52) / (mtu + 38), 1.0) << mtu;
  }
}

TEST(TcpFleet, WorkOfACoreLimitsTheRate) {
  auto config = free_of_cost();
  config.host.ring = 8192;
  config.host.packet_cost = 200ns;  // 1448 bytes each: 57.9 Gb/s
  Rig rig{2, 100_Gbps, config};
  const auto end = rig.send(0, 1, 200'000'000);
  rig.network.run(Instant{1s});
  EXPECT_EQ(rig.taken[end], 200'000'000);
  EXPECT_NEAR(gbps(200'000'000, rig.done[end].time_since_epoch()), 57.9, 4);
}

TEST(TcpFleet, FlowsShareABottleneckWithoutALossUnderDctcp) {
  auto config = free_of_cost();
  config.connection.congestion = Congestion::dctcp;
  Rig rig{5, 10_Gbps, config};
  for (HostIndex h = 0; h < 4; ++h) rig.send(h, 4, 25'000'000);
  rig.network.run(Instant{10s});
  EXPECT_EQ(rig.all(), 100'000'000);
  for (const auto& [end, when] : rig.done)
    EXPECT_NEAR(gbps(25'000'000, when.time_since_epoch()), 10.0 * 1448 / 1538 / 4, 0.5);
  for (EndIndex e = 0; e < rig.fleet.ends(); ++e) EXPECT_EQ(rig.fleet.connection(e).sender().counters().sent_again, 0);
}

TEST(TcpFleet, ASmallBufferLosesPacketsAndNoByte) {
  auto config = free_of_cost();
  network::SwitchConfig switches;
  switches.buffer = 100'000_B;
  Rig rig{17, 10_Gbps, config, switches};
  for (HostIndex h = 0; h < 16; ++h) rig.send(h, 16, 1'000'000);
  rig.network.run(Instant{30s});
  EXPECT_EQ(rig.all(), 16'000'000);
  EXPECT_EQ(rig.done.size(), 16U);
}

TEST(TcpFleet, AConsumerThatKeepsItsMemoryClosesTheWindow) {
  auto config = free_of_cost();
  config.connection.receive_buffer = 1_MiB;
  Rig rig{2, 100_Gbps, config};
  const auto end = rig.send(0, 1, 100'000'000);
  rig.fleet.alarm = [&](std::uint64_t detail, Instant now) { rig.fleet.keep_memory(end, detail == 1, now); };
  rig.fleet.wake(Instant{1ms}, 1);
  rig.fleet.wake(Instant{1s}, 0);
  rig.network.run(Instant{999ms});
  const auto& sender = rig.fleet.connection(end ^ 1).sender();
  EXPECT_TRUE(sender.closed());
  EXPECT_GE(sender.counters().probes, 2);
  EXPECT_EQ(rig.fleet.counters(1).dropped, 0);
  const auto before = rig.taken[end];
  EXPECT_LT(before, 12'500'000 + 1'048'576);
  rig.network.run(Instant{2s});
  EXPECT_EQ(rig.taken[end], 100'000'000);
  EXPECT_EQ(sender.counters().sent_again, 0);
}

TEST(TcpFleet, WithLinuxsWindowTheNicDropsWhenMemoryIsOut) {
  auto config = free_of_cost();
  config.connection.receive_buffer = 1_MiB;
  config.connection.window_of = WindowOf::socket;
  Rig rig{2, 100_Gbps, config};
  const auto end = rig.send(0, 1, 100'000'000);
  rig.fleet.alarm = [&](std::uint64_t detail, Instant now) { rig.fleet.keep_memory(end, detail == 1, now); };
  rig.fleet.wake(Instant{1ms}, 1);
  rig.fleet.wake(Instant{1s}, 0);
  rig.network.run(Instant{20s});
  EXPECT_GT(rig.fleet.counters(1).dropped, 0);
  EXPECT_GT(rig.fleet.connection(end ^ 1).sender().counters().timeouts, 0);
  EXPECT_EQ(rig.taken[end], 100'000'000);
}

TEST(TcpFleet, SameSeedSameEvents) {
  const auto play = [] {
    Rig rig{9, 10_Gbps, FleetConfig{}};
    for (HostIndex h = 0; h < 8; ++h) rig.send(h, 8, 3'000'000);
    rig.network.run(Instant{5s});
    return std::pair{rig.network.events(), rig.done};
  };
  EXPECT_EQ(play(), play());
}

}  // namespace
}  // namespace peerpath::tcp
