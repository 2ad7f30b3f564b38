#include <gtest/gtest.h>

#include "peerpath/base/random.hpp"
#include "transport/host/fake_host.hpp"
#include "transport/host/rated_dma.hpp"
#include "transport/tcp/fleet_fixture.hpp"

namespace peerpath::tcp {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using transport::testing::FakeHost;

constexpr BitRate cable{100'000'000'000}, slow{40'000'000'000};

/// Goodput of one flow between two hosts for 20 ms, when the losses of its slow start are repaired.
double goodput(Rig& rig, Duration begin = 20ms) {
  const auto end = rig.send(0, 1, std::int64_t{1} << 40);
  rig.network.run(Instant{begin});
  const auto before = rig.taken[end];
  rig.network.run(Instant{begin + 20ms});
  return gbps(rig.taken[end] - before, 20ms);
}

FleetConfig with_large_segments() {
  auto config = free_of_cost();
  config.connection.mtu = 9000;
  return config;
}

TEST(TcpFleetDma, MemoryThatTakesInTooLittleFillsTheBufferWhichDrops) {
  FakeHost host{slow, cable};
  auto config = with_large_segments();
  config.dma = {nullptr, &host};
  Rig rig{2, cable, config};
  EXPECT_NEAR(goodput(rig, 400ms), 40, 1);
  EXPECT_GT(rig.fleet.counters(1).dropped, 0);
  EXPECT_LE(rig.fleet.counters(1).buffer_peak, 2'000'000);
  EXPECT_EQ(rig.fleet.counters(1).pauses, 0);
}

TEST(TcpFleetDma, OrItPausesALosslessSwitchAndNothingIsLost) {
  FakeHost host{slow, cable};
  auto config = with_large_segments();
  config.host.pause_above = 1'000'000_B;
  config.dma = {nullptr, &host};
  network::SwitchConfig switches;
  switches.lossless = {0};
  Rig rig{2, cable, config, switches};
  EXPECT_NEAR(goodput(rig), 40, 1);
  EXPECT_GT(rig.fleet.counters(1).pauses, 0);
  EXPECT_EQ(rig.fleet.counters(1).dropped, 0);
  EXPECT_EQ(rig.fleet.connection(0).sender().counters().sent_again, 0);
}

TEST(TcpFleetDma, TheWindowHoldsBackWhatMemoryHasNotTaken) {
  // Memory that takes nothing for a long time: what is not acknowledged fits into the window, so nothing is dropped.
  FakeHost host{BitRate{1'000'000}, cable};
  auto config = with_large_segments();
  config.connection.receive_buffer = 1_MiB;
  config.connection.min_rto = config.connection.initial_rto = 10s;
  config.dma = {nullptr, &host};
  Rig rig{2, cable, config};
  const auto end = rig.send(0, 1, 100'000'000);
  rig.network.run(Instant{1s});
  EXPECT_GT(rig.fleet.counters(1).buffer_peak, 8000);
  EXPECT_LE(rig.fleet.counters(1).buffer_peak, 1'100'000);
  EXPECT_LT(rig.taken[end], 1'000'000);
  EXPECT_EQ(rig.fleet.counters(1).dropped, 0);
}

TEST(TcpFleetDma, WhatIsSentComesOutOfMemoryFirst) {
  FakeHost host{cable, slow};
  auto config = with_large_segments();
  config.dma = {&host};
  Rig rig{2, cable, config};
  EXPECT_NEAR(goodput(rig), 40, 1);
  EXPECT_EQ(rig.fleet.counters(1).dropped, 0);
}

TEST(TcpFleetDma, ASegmentIsLaterByBothHosts) {
  const auto arrives = [](std::vector<transport::HostDma*> dma) {
    auto config = free_of_cost();
    config.dma = std::move(dma);
    Rig rig{2, cable, config};
    Instant at{};
    rig.fleet.taken = [&](EndIndex, std::int64_t, Instant now) { at = now; };
    rig.send(0, 1, 1000);
    rig.network.run(Instant{1s});
    return at;
  };
  FakeHost from{cable, cable}, to{cable, cable};
  EXPECT_EQ(arrives({&from, &to}) - arrives({}), 2 * (300ns + 1000_B / cable));
  transport::RatedDma rated_from{{.drain = cable, .fetch = cable, .send_latency = 300ns}};
  transport::RatedDma rated_to{{.drain = cable, .fetch = cable, .latency = 300ns}};
  EXPECT_EQ(arrives({&rated_from, &rated_to}) - arrives({}), 2 * (300ns + 1000_B / cable));
}

TEST(TcpFleetDma, EachByteComesOnceAndInOrderWhateverTheHostsDo) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random{seed, "hosts"};
    const auto rate = [&] { return BitRate{static_cast<std::int64_t>(1 + random.below(100)) * 1'000'000'000}; };
    FakeHost simulated{rate(), rate()}, other{rate(), rate()};
    transport::RatedDma rated{{.drain = rate(),
                               .fetch = rate(),
                               .drain_beside = rate(),
                               .fetch_beside = rate(),
                               .together = rate(),
                               .latency = 400ns,
                               .send_latency = 700ns,
                               .latency_beside = 2us,
                               .send_latency_beside = 5us,
                               .transmit_buffer = 32_KiB}};
    auto config = free_of_cost();
    config.connection.mtu = random.below(2) == 0 ? 1500 : 9000;
    config.connection.sack = random.below(2) == 0;
    config.connection.congestion = random.below(2) == 0 ? Congestion::cubic : Congestion::dctcp;
    config.host.nic_buffer = Bytes{static_cast<std::int64_t>(64 + random.below(500)) << 10};
    if (random.below(2) == 0) config.host.pause_above = Bytes{config.host.nic_buffer.count() / 2};
    config.host.ring = random.below(2) == 0 ? 64 : 4096;
    config.dma = {&simulated, &rated, nullptr, &other};
    Rig rig{4, cable, config};
    std::map<EndIndex, std::int64_t> wanted;
    for (HostIndex a = 0; a < 4; ++a)
      for (HostIndex b = 0; b < 4; ++b)
        if (a != b) {
          const auto bytes = static_cast<std::int64_t>(1 + random.below(2'000'000));
          wanted[rig.send(a, b, bytes)] = bytes;
        }
    rig.network.run(Instant{60s});
    EXPECT_EQ(rig.taken, wanted) << seed;
    EXPECT_EQ(rig.done.size(), wanted.size()) << seed;
    EXPECT_EQ(rig.network.in_flight(), 0) << seed;
  }
}

}  // namespace
}  // namespace peerpath::tcp
