#include "transport/tcp/fleet.hpp"

#include <gtest/gtest.h>

#include <map>

namespace peerpath::tcp {
namespace {

using namespace std::chrono_literals;

network::Graph star(int hosts, BitRate rate) {
  network::Graph graph;
  const auto middle = graph.add_switch("sw");
  for (int h = 0; h < hosts; ++h) graph.connect(graph.add_host("h" + std::to_string(h)), middle, rate, 500ns);
  return graph;
}

FleetConfig free_of_cost() {
  FleetConfig config;
  config.host.packet_cost = config.host.segment_cost = config.host.syscall_cost = Duration{};
  return config;
}

struct Rig {
  Rig(int hosts, BitRate rate, const FleetConfig& config, const network::SwitchConfig& switches = {})
      : fleet{config, 1}, network{star(hosts, rate), switches, 1, fleet} {
    fleet.attach(network);
    fleet.taken = [this](EndIndex end, std::int64_t bytes, Instant) { taken[end] += bytes; };
    fleet.completed = [this](EndIndex end, Instant now) {
      if (end % 2 == 1) done[end] = now;  // clients get no data
    };
  }
  EndIndex send(HostIndex a, HostIndex b, std::int64_t bytes, const Consumer& consumer = {}) {
    const auto end = fleet.connect(a, b, consumer);
    fleet.open(end, bytes, true, Instant{});
    return end ^ 1;
  }
  std::int64_t all() const {
    std::int64_t sum = 0;
    for (const auto& [end, bytes] : taken) sum += bytes;
    return sum;
  }

  Fleet fleet;
  network::Network network;
  std::map<EndIndex, std::int64_t> taken;
  std::map<EndIndex, Instant> done;
};

double gbps(std::int64_t bytes, Duration time) {
  return static_cast<double>(bytes) * 8e6 / static_cast<double>(time.count());
}

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
