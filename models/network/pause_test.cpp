#include <gtest/gtest.h>

#include "network/network.hpp"
#include "network/test_hosts.hpp"
#include "network/topologies/topologies.hpp"

namespace peerpath::network {
namespace {

using namespace testing;
using namespace std::chrono_literals;

/// Eight senders, one receiver, on cables of a kilometre; returns what was dropped and the pauses sent.
std::pair<std::int64_t, std::int64_t> incast(const SwitchConfig& config) {
  TestHosts hosts;
  hosts.keep = false;
  for (HostIndex h = 0; h < 8; ++h) hosts.sources.push_back({.from = h, .to = 8, .bytes = 4096});
  Network network{star(9, BitRate{100'000'000'000}, 5us), config, 1, hosts};
  start(network, 9);
  network.run(Instant{2ms});
  std::int64_t pauses = 0;
  for (PortIndex p = 0; p < 18; ++p) pauses += network.port(p).counters.pauses;
  EXPECT_GT(hosts.received[0], 0);
  return {dropped(network), pauses};
}

TEST(Pause, TimeInWhichAPortStandsIsOneTimeForAllPriorities) {
  TestHosts hosts;
  hosts.keep = false;
  hosts.sources = {{.from = 0, .to = 1, .priority = 3}, {.from = 0, .to = 1, .priority = 4}};
  SwitchConfig config;
  config.lossless = {3, 4};
  Network network{star(2), config, 1, hosts};
  start(network, 2);
  const auto to_host = Graph::peer(network.port_of(1));
  network.run(Instant{10us});
  network.pause(1, 3, true, Instant{10us});
  network.run(Instant{30us});
  network.pause(1, 4, true, Instant{30us});
  network.run(Instant{70us});
  network.pause(1, 3, false, Instant{70us});
  network.run(Instant{80us});
  network.pause(1, 4, false, Instant{80us});
  network.run(Instant{100us});
  const auto near = [](Duration a, Duration b) { return a > b - 1us && a < b + 1us; };
  EXPECT_TRUE(near(network.paused(to_host, Instant{100us}), 110us));
  EXPECT_TRUE(near(network.stopped(to_host, Instant{100us}), 70us));
}

TEST(Pause, HeadroomOfRateTimesRoundTripLosesNothing) {
  const auto [lost, pauses] = incast({});
  EXPECT_EQ(lost, 0);
  EXPECT_GT(pauses, 0);
}

TEST(Pause, HalfOfThatHeadroomLoses) {
  SwitchConfig config;
  config.headroom = Bytes{60'000};  // 100 Gb/s times 10 us is 125 KB
  const auto [lost, pauses] = incast(config);
  EXPECT_GT(lost, 0);
  EXPECT_GT(pauses, 0);
}

/// The largest frames both ways over a sender's cable: each pause waits for one that has just begun, and the sender
/// stops after one more, besides the frame that passed the threshold.
TEST(Pause, HeadroomHoldsTheFrameThatPassesTheThresholdAndOneInTheWayOfEachEnd) {
  for (const std::int32_t other : {9216, 9127, 8887, 8513}) {  // so that pauses meet all phases of the other way
    TestHosts hosts;
    hosts.keep = false;
    hosts.sources = {{.from = 0, .to = 1, .bytes = 9216}, {.from = 2, .to = 0, .bytes = other}};
    Graph graph;
    const auto leaf = graph.add_switch("leaf");
    for (const std::int64_t rate : {100, 10, 100})
      graph.connect(graph.add_host("h" + std::to_string(graph.hosts.size())), leaf, BitRate{rate * 1'000'000'000},
                    25ns);
    SwitchConfig config;
    config.buffer = Bytes{400'000};
    Network network{graph, config, 1, hosts};
    start(network, 3);
    network.run(Instant{20ms});
    EXPECT_GT(network.port(Graph::peer(network.port_of(0))).counters.pauses, 100);
    EXPECT_EQ(dropped(network), 0) << other << " B";
  }
}

TEST(Pause, ALossyPriorityDropsAndNeverPauses) {
  SwitchConfig config;
  config.lossless = {};
  const auto [lost, pauses] = incast(config);
  EXPECT_GT(lost, 0);
  EXPECT_EQ(pauses, 0);
}

TEST(Pause, AHostThatPausesItsSwitchIsSentNothingOnceTheFrameOnTheWireIsIn) {
  TestHosts hosts;
  hosts.sources = {{.from = 0, .to = 1}};
  Network network{star(2), {}, 1, hosts};
  start(network, 2);
  network.run(Instant{100us});
  network.pause(1, 3, true, Instant{100us});
  network.run(Instant{103us});
  const auto so_far = hosts.arrivals.size();
  network.run(Instant{200us});
  EXPECT_EQ(hosts.arrivals.size(), so_far);
  EXPECT_GT(network.paused(Graph::peer(network.port_of(1)), Instant{200us}), 90us);
  network.pause(1, 3, false, Instant{200us});
  network.run(Instant{210us});
  EXPECT_GT(hosts.arrivals.size(), so_far + 50);
}

/// Five switches in a ring, each with two hosts that send two switches on: every cable of the ring is asked for
/// twice what it carries, and the buffers wait for each other in a circle.
Graph ring() {
  Graph graph;
  for (int i = 0; i < 5; ++i) graph.add_switch("s" + std::to_string(i));
  for (NodeIndex i = 0; i < 5; ++i) graph.connect(i, (i + 1) % 5, BitRate{100'000'000'000}, 100ns);
  for (NodeIndex i = 0; i < 5; ++i)
    graph.connect(graph.add_host("h" + std::to_string(i)), i, BitRate{100'000'000'000}, 100ns);
  return graph;
}

TEST(Pause, ACircleOfPausedQueuesIsFoundAndNamed) {
  TestHosts hosts;
  hosts.keep = false;
  for (HostIndex h = 0; h < 5; ++h) hosts.sources.push_back({.from = h, .to = (h + 2) % 5, .bytes = 1500});
  SwitchConfig config;
  config.buffer = Bytes{400'000};
  Network network{ring(), config, 1, hosts};
  start(network, 5);
  network.run(Instant{5ms});
  const auto circle = network.deadlock(Instant{5ms}, 100us);
  ASSERT_TRUE(circle);
  EXPECT_EQ(circle->priority, 3);
  EXPECT_EQ(circle->ports.size(), 5u);
  EXPECT_EQ(network.graph().name_of(circle->ports.front()).substr(0, 1), "s");
  const auto before = hosts.arrived_count();
  network.run(Instant{10ms});
  EXPECT_EQ(hosts.arrived_count(), before) << "a deadlock that moves is none";
}

TEST(Pause, ATreeUnderIncastHasNoCircle) {
  TestHosts hosts;
  hosts.keep = false;
  for (HostIndex h = 1; h < 16; ++h) hosts.sources.push_back({.from = h, .to = 0, .bytes = 1500, .hash = h});
  SwitchConfig config;
  config.buffer = Bytes{400'000};
  config.headroom = Bytes{45'000};
  Network network{make(FatTree{}), config, 1, hosts};
  start(network, 16);
  network.run(Instant{2ms});
  EXPECT_FALSE(network.deadlock(Instant{2ms}, 1us));
}

}  // namespace
}  // namespace peerpath::network
