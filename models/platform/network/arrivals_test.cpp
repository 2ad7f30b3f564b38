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

/// A message in an empty network takes what `Alone` says.
TEST(Alone, IsTheLatencyOfOneMessage) {
  const auto graph = two_racks();
  for (const network::HostIndex to : {1U, 5U})
    for (const std::uint32_t size : {1U, 64U, 1000U, 4096U, 4097U, 100'000U, 1'000'000U}) {
      roce::Fleet fleet{{}};
      network::Network network{graph, {}, 1, fleet};
      fleet.attach(network);
      Instant ended{};
      fleet.completed = [&](auto, const auto&, Instant, Instant now) { ended = now; };
      fleet.post(fleet.connect(0, to), {.length = size}, Instant{});
      network.run(Instant{10ms});
      const auto alone =
          Alone{graph, network::SwitchConfig{}.latency, 4096}.latency(0, to, Bytes{size}, roce::Work::write);
      EXPECT_NEAR(static_cast<double>((ended - Instant{}).count()), static_cast<double>(alone.count()),
                  0.001 * static_cast<double>(alone.count()))
          << size << " to " << to;
    }
}

}  // namespace
}  // namespace peerpath::network_run
