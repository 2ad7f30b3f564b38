#include "platform/network/arrivals.hpp"

#include <gtest/gtest.h>

#include "network/topologies/topologies.hpp"
#include "transport/roce/fleet.hpp"

namespace peerpath::network_run {
namespace {

using namespace std::chrono_literals;
using network_scenario::Rdma;
using network_scenario::Sizes;

network::Graph two_racks() {
  network::Clos clos;
  clos.racks = 2;
  clos.hosts = 4;
  clos.spines = 1;
  clos.cables.host_rate = BitRate{25'000'000'000};
  clos.cables.fabric_rate = BitRate{100'000'000'000};
  return network::make(clos);
}

TEST(Arrivals, OfferTheLoadOfEachHostAndGoToOthers) {
  Rdma entry;
  entry.from = entry.to = {"h0..h7"};
  entry.load = 40;
  entry.size = Bytes{100'000};
  const auto all = arrivals(entry, two_racks(), Instant{}, Instant{100ms}, 1);
  std::vector<double> bytes(8), to(8);
  Instant before{};
  for (const auto& a : all) {
    EXPECT_NE(a.from, a.to);
    EXPECT_GE(a.at, before);
    before = a.at;
    bytes[a.from] += static_cast<double>(a.size.count());
    to[a.to] += static_cast<double>(a.size.count());
  }
  for (std::size_t h = 0; h < 8; ++h) {
    EXPECT_NEAR(bytes[h] * 8 / 1e8, 10, 1) << h;  // 40 % of 25 Gb/s; 1250 messages, so one standard deviation is 2.8 %
    EXPECT_NEAR(to[h] * 8 / 1e8, 10, 1) << h;
  }
  entry.load = 1e-12;
  EXPECT_TRUE(arrivals(entry, two_racks(), Instant{}, Instant{10s}, 1).empty());
  entry.load = 40;
  entry.sizes = Sizes::web_search;
  EXPECT_NE(arrivals(entry, two_racks(), Instant{}, Instant{100ms}, 1).front().at,
            arrivals(entry, two_racks(), Instant{}, Instant{100ms}, 2).front().at);
}

/// Latency of one message in an empty network.
Duration simulated(const network::Graph& graph, const network::SwitchConfig& config, network::HostIndex to,
                   std::uint32_t size, std::uint64_t seed = 1, const roce::FleetConfig& nics = {}) {
  roce::Fleet fleet{nics};
  network::Network network{graph, config, seed, fleet};
  fleet.attach(network);
  Instant ended{};
  fleet.completed = [&](auto, const auto&, Instant, Instant now) { ended = now; };
  fleet.post(fleet.connect(0, to), {.length = size}, Instant{});
  network.run(Instant{10ms});
  return ended - Instant{};
}

void expect_near(Duration value, Duration expected, std::uint32_t size) {
  EXPECT_NEAR(static_cast<double>(value.count()), static_cast<double>(expected.count()),
              0.001 * static_cast<double>(expected.count()))
      << size;
}

/// A message in an empty network takes what `Alone` says.
TEST(Alone, IsTheLatencyOfOneMessage) {
  const auto graph = two_racks();
  for (const network::HostIndex to : {1U, 5U})
    for (const std::uint32_t size : {1U, 64U, 1000U, 4096U, 4097U, 100'000U, 1'000'000U})
      expect_near(Alone{graph, {}, 4096}.latency(0, to, Bytes{size}, roce::Work::write), simulated(graph, {}, to, size),
                  size);
}

/// Two ways of two switches, of the given rates; cables listed first are the slow ones.
network::Graph two_ways(BitRate slow, BitRate fast) {
  network::Graph graph;
  const auto near = graph.add_switch("near"), far = graph.add_switch("far");
  graph.connect(graph.add_host("h0"), near, BitRate{100'000'000'000}, 250ns);
  graph.connect(graph.add_host("h1"), far, BitRate{100'000'000'000}, 250ns);
  for (const auto rate : {slow, fast}) {
    const auto middle = graph.add_switch("middle");
    graph.connect(near, middle, rate, 250ns);
    graph.connect(middle, far, rate, 250ns);
  }
  return graph;
}

/// The hash takes one way or the other, by the seed, there and back.
TEST(Alone, IsTheLatencyByTheFastestOfWays) {
  const auto graph = two_ways(BitRate{10'000'000'000}, BitRate{100'000'000'000});
  for (const std::uint32_t size : {1U, 4096U, 100'000U, 1'000'000U}) {
    auto least = Duration::max(), most = Duration{};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      least = std::min(least, simulated(graph, {}, 1, size, seed));
      most = std::max(most, simulated(graph, {}, 1, size, seed));
    }
    expect_near(Alone{graph, {}, 4096}.latency(0, 1, Bytes{size}, roce::Work::write), least, size);
    EXPECT_GT(most, least);
  }
}

/// Packets in turn over two ways arrive at twice the rate of one, and in order if all are of one size.
TEST(Alone, SpreadsTheMessageWhereSwitchesSpray) {
  const auto graph = two_ways(BitRate{25'000'000'000}, BitRate{25'000'000'000});
  network::SwitchConfig config;
  config.path = network::PathChoice::spray;
  for (const std::uint32_t size : {1U, 4096U, 8192U, 25U * 4096, 250U * 4096})
    expect_near(Alone{graph, config, 4096}.latency(0, 1, Bytes{size}, roce::Work::write),
                simulated(graph, config, 1, size), size);
}

/// A short packet behind a long one is there before it on another way, and is not waited for.
TEST(Alone, LetsAShortPacketOvertakeWhereSwitchesSpray) {
  const auto graph = two_ways(BitRate{100'000'000'000}, BitRate{100'000'000'000});
  network::SwitchConfig config;
  config.path = network::PathChoice::spray;
  roce::FleetConfig nics;
  nics.connection.recovery = roce::Recovery::selective_repeat;
  for (const std::uint32_t size : {4097U, 5000U, 9000U})
    expect_near(Alone{graph, config, 4096}.latency(0, 1, Bytes{size}, roce::Work::write),
                simulated(graph, config, 1, size, 1, nics), size);
}

}  // namespace
}  // namespace peerpath::network_run
