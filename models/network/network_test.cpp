#include "network/network.hpp"

#include <gtest/gtest.h>

#include <array>

#include "network/test_hosts.hpp"
#include "network/topologies/topologies.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::network {
namespace {

using namespace testing;
using namespace std::chrono_literals;

TEST(Network, APacketTakesSerialisationTwiceDelayTwiceAndTheLookUp) {
  TestHosts hosts;
  hosts.sources = {{.from = 0, .to = 1, .bytes = 1000, .count = 3}};
  SwitchConfig config;
  Network network{star(2), config, 1, hosts};
  start(network, 2);
  network.run(Instant{1ms});
  ASSERT_EQ(hosts.arrivals.size(), 3u);
  // 1000 B frame + 4 FCS + 8 preamble at 100 Gb/s: 80.96 ns to the last bit; with the gap 81.92 ns a packet.
  const Duration to_last_bit = 80'960'000 * Duration{1}, whole = 81'920'000 * Duration{1};
  const auto first = Instant{} + 2 * to_last_bit + 2 * 500ns + config.latency;
  EXPECT_EQ(hosts.arrivals[0].when, first);
  EXPECT_EQ(hosts.arrivals[1].when, first + whole);
  EXPECT_EQ(hosts.arrivals[2].when, first + 2 * whole);
}

TEST(Network, WhatCameForAPortArrivedWasDroppedOrIsInItsBacklogAtAnyTime) {
  TestHosts hosts;
  hosts.keep = false;
  hosts.sources = {{.from = 0, .to = 2}, {.from = 1, .to = 2}, {.from = 2, .to = 0, .bytes = 300}};
  SwitchConfig config;
  config.lossless = {};
  config.buffer = Bytes{70'000};  // too small for two senders
  config.convergence = 50us;
  Network network{star(3), config, 1, hosts};
  start(network, 3);
  std::int64_t waiting = 0;
  for (int n = 1; n < 400; ++n) {
    const auto now = Instant{n * 777ns};
    network.run(now);
    if (n == 200 || n == 260) network.set_cable(1, n == 260, now);
    const auto backlog = network.backlog();
    EXPECT_EQ(backlog.lost_track, 0);
    for (PortIndex p = 0; p < 6; ++p) {
      const auto& c = network.port(p).counters;
      EXPECT_EQ(c.offered, network.port(Graph::peer(p)).arrived + c.dropped_bytes + backlog.bytes[p]) << n << " " << p;
      waiting = std::max(waiting, backlog.bytes[p]);
    }
  }
  EXPECT_GT(dropped(network), 0);
  EXPECT_GT(waiting, 10'000);
}

TEST(Network, TwoSendersShareAPortEvenlyAndFillIt) {
  TestHosts hosts;
  hosts.keep = false;
  hosts.sources = {{.from = 0, .to = 2}, {.from = 1, .to = 2}};
  Network network{star(3), {}, 1, hosts};
  start(network, 3);
  network.run(Instant{2ms});
  const auto sum = hosts.received[0] + hosts.received[1];
  // 1000 of 1024 B on the wire carry the frame.
  EXPECT_NEAR(static_cast<double>(sum) * 8 / 2e-3 / 1e9, 100.0 * 1000 / 1024, 0.1);
  EXPECT_NEAR(static_cast<double>(hosts.received[0]) / static_cast<double>(sum), 0.5, 0.01);
}

TEST(Network, DeficitRoundRobinSharesByWeightWhateverThePacketSizes) {
  TestHosts hosts;
  hosts.keep = false;
  hosts.sources = {{.from = 0, .to = 2, .bytes = 1500, .priority = 3},
                   {.from = 1, .to = 2, .bytes = 300, .priority = 4}};
  SwitchConfig config;
  config.lossless = {3, 4};
  config.weights = {1, 1, 1, 3, 1, 1, 1, 1};
  Network network{star(3), config, 1, hosts};
  start(network, 3);
  network.run(Instant{2ms});
  EXPECT_NEAR(static_cast<double>(hosts.received[0]) / static_cast<double>(hosts.received[1]), 3.0, 0.1);
}

TEST(Network, AStrictPriorityGoesBeforeAllLowerOnes) {
  TestHosts hosts;
  hosts.keep = false;
  hosts.sources = {{.from = 0, .to = 2, .priority = 3}, {.from = 1, .to = 2, .priority = 6}};
  SwitchConfig config;
  config.lossless = {3, 6};
  Network network{star(3), config, 1, hosts};
  start(network, 3);
  network.run(Instant{2ms});
  EXPECT_LT(hosts.received[0], hosts.received[1] / 50);
}

TEST(Network, PoissonArrivalsWaitAsLongAsTheQueueMD1Does) {
  Graph graph;
  const auto middle = graph.add_switch("sw");
  graph.connect(graph.add_host("source"), middle, BitRate{3'200'000'000'000}, 0ns);
  graph.connect(graph.add_host("sink"), middle, BitRate{100'000'000'000}, 0ns);
  TestHosts hosts;
  SwitchConfig config;
  config.latency = 0ns;
  Network network{graph, config, 1, hosts};
  Random random{7, "arrivals"};
  const Duration service{81'920'000};
  // 70 % load. A packet may wait at the source for a 32nd of the service time, which adds little.
  Instant at{};
  const int count = 40'000;
  std::vector<Instant> offered;
  hosts.on_wake = [&](Instant now) {
    Packet packet;
    packet.destination = 1;
    packet.bytes = 1000;
    packet.priority = 3;
    hosts.queued.emplace_back(0, packet);
    network.ready(0, now);
  };
  for (int i = 0; i < count; ++i) {
    const auto mean = static_cast<WideInt>(service.count()) * 10 / 7;
    at += Duration{static_cast<std::int64_t>(static_cast<WideInt>(exponential_q32(random.next())) * mean >> 32)};
    offered.push_back(at);
    network.wake_at(at, 0, 0);
  }
  network.run(at + 1ms);
  ASSERT_EQ(hosts.arrivals.size(), static_cast<std::size_t>(count));
  double waited = 0;
  const Duration unloaded = Duration{80'960'000} + Duration{80'960'000 / 32};
  for (std::size_t i = 0; i < offered.size(); ++i)
    waited += static_cast<double>((hosts.arrivals[i].when - offered[i] - unloaded).count());
  // Pollaczek and Khinchine for constant service: rho / (2 (1 - rho)) services.
  EXPECT_NEAR(waited / count / static_cast<double>(service.count()), 0.7 / (2 * 0.3), 0.06);
}

TEST(Network, EveryPacketArrivesOrIsCountedAsDroppedOrIsStillOnItsWay) {
  TestHosts hosts;
  hosts.keep = false;
  const auto graph = make(FatTree{.ports = 4});
  for (HostIndex h = 0; h < 16; ++h)
    hosts.sources.push_back({.from = h, .to = h < 8 ? 15u : (h + 5) % 16, .priority = 1, .hash = h * 77});
  SwitchConfig config;
  config.buffer = Bytes{400'000};
  Network network{graph, config, 1, hosts};
  start(network, 16);
  network.run(Instant{50us});
  network.set_cable(20, false, Instant{50us});
  network.run(Instant{100us});
  network.set_cable(20, true, Instant{100us});
  network.run(Instant{200us});
  EXPECT_GT(dropped(network), 0);
  EXPECT_EQ(hosts.sent, hosts.arrived_count() + dropped(network) + network.in_flight());
}

TEST(Network, QueuesAreMarkedBetweenKminAndKmaxOnly) {
  for (const auto kmin : {Bytes{100'000}, Bytes{50'000'000}}) {
    TestHosts hosts;
    hosts.sources = {{.from = 0, .to = 2, .count = 1000}, {.from = 1, .to = 2, .count = 1000}};
    SwitchConfig config;
    config.ecn_min = kmin;
    config.ecn_max = kmin + Bytes{100'000};
    config.ecn_rate = BitRate{100'000'000'000};
    Network network{star(3), config, 1, hosts};
    start(network, 3);
    network.run(Instant{2ms});
    std::int64_t marked = 0;
    for (const auto& arrival : hosts.arrivals) marked += arrival.packet.congestion_experienced ? 1 : 0;
    // The queue grows to a million bytes and empties again: most packets leave above Kmax.
    if (kmin == Bytes{100'000})
      EXPECT_GT(marked, 1500);
    else
      EXPECT_EQ(marked, 0);
  }
}

TEST(Network, PinnedPathsSpreadEvenlyWhereAHashCollides) {
  const auto clos = make(Clos{.racks = 2, .hosts = 8, .spines = 8});
  const auto carried = [&](PathChoice path) {
    TestHosts hosts;
    hosts.keep = false;
    for (HostIndex h = 0; h < 8; ++h) hosts.sources.push_back({.from = h, .to = h + 8, .hash = 1000 + h});
    SwitchConfig config;
    config.path = path;
    Network network{clos, config, 1, hosts};
    start(network, 16);
    network.run(Instant{500us});
    std::int64_t sum = 0;
    for (const auto bytes : hosts.received) sum += bytes;
    return static_cast<double>(sum) * 8 / 500e-6 / 8 / 400e9;
  };
  EXPECT_GT(carried(PathChoice::pinned), 0.95);
  EXPECT_LT(carried(PathChoice::ecmp), 0.9);
  EXPECT_GT(carried(PathChoice::spray), 0.95);
}

TEST(Network, CablesLosePacketsByNumberAndByShare) {
  auto graph = star(2);
  graph.cables[0].lost = {3, 5};
  TestHosts hosts;
  hosts.sources = {{.from = 0, .to = 1, .count = 10}};
  Network network{graph, {}, 1, hosts};
  start(network, 2);
  network.run(Instant{std::chrono::milliseconds{1}});
  EXPECT_EQ(hosts.arrived_count(), 8);
  EXPECT_EQ(dropped(network), 2);
  EXPECT_EQ(network.in_flight(), 0);

  graph.cables[0].lost = {};
  graph.cables[0].loss = 0.1;
  TestHosts many;
  many.sources = {{.from = 0, .to = 1, .count = 10'000}};
  Network lossy{graph, {}, 1, many};
  start(lossy, 2);
  lossy.run(Instant{std::chrono::milliseconds{10}});
  EXPECT_NEAR(static_cast<double>(many.arrived_count()), 9000, 100);
  EXPECT_EQ(many.arrived_count() + dropped(lossy), 10'000);
}

/// One flow between two switches with four ways whose delays differ by up to 3 us.
struct FourWays {
  Graph graph;
  TestHosts hosts;
  std::array<PortIndex, 4> ways{};

  FourWays() {
    const auto left = graph.add_switch("left"), right = graph.add_switch("right");
    graph.connect(graph.add_host("source"), left, BitRate{100'000'000'000}, 500ns);
    graph.connect(graph.add_host("sink"), right, BitRate{100'000'000'000}, 500ns);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto middle = graph.add_switch("middle" + std::to_string(i));
      ways[i] = static_cast<PortIndex>(2 * graph.cables.size());
      graph.connect(left, middle, BitRate{100'000'000'000}, 500ns + 1us * static_cast<int>(i));
      graph.connect(middle, right, BitRate{100'000'000'000}, 500ns);
    }
  }

  /// Packets at an interval; the number of ways that they took.
  int send(Duration gap, Duration interval, int count) {
    SwitchConfig config;
    config.path = PathChoice::flowlet;
    config.flowlet_gap = gap;
    Network network{graph, config, 1, hosts};
    std::uint64_t next = 0;
    hosts.on_wake = [&](Instant now) {
      hosts.queued.push_back(
          {0, {.source = 0, .destination = 1, .flow_hash = 77, .bytes = 1000, .cargo = {0, next++}}});
      network.ready(0, now);
    };
    for (int i = 0; i < count; ++i) network.wake_at(Instant{interval * i}, 0, 0);
    network.run(Instant{interval * count + 1ms});
    int used = 0;
    for (const auto way : ways) used += network.port(way).counters.packets > 0 ? 1 : 0;
    return used;
  }

  int out_of_order() const {
    int count = 0;
    for (std::size_t i = 1; i < hosts.arrivals.size(); ++i)
      count += hosts.arrivals[i].packet.cargo[1] < hosts.arrivals[i - 1].packet.cargo[1] ? 1 : 0;
    return count;
  }
};

TEST(Network, AFlowletKeepsItsWayAndTheNextDrawsAnother) {
  EXPECT_EQ(FourWays{}.send(5us, 5us, 200), 1);
  EXPECT_EQ(FourWays{}.send(5us, 5001ns, 200), 4);
}

TEST(Network, FlowletsKeepOrderWhereTheGapIsAboveWhatDelaysOfWaysDifferBy) {
  FourWays kept, broken;
  kept.send(3us, 3100ns, 200);
  EXPECT_EQ(kept.hosts.arrivals.size(), 200u);
  EXPECT_EQ(kept.out_of_order(), 0);
  broken.send(1us, 1100ns, 200);
  EXPECT_EQ(broken.hosts.arrivals.size(), 200u);
  EXPECT_GT(broken.out_of_order(), 10);
}

}  // namespace
}  // namespace peerpath::network
