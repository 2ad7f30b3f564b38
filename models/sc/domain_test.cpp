#include "peerpath/sc/domain.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

#include "loop/loop.hpp"
#include "peerpath/sc/time.hpp"
#include "sc/random_player.hpp"

namespace peerpath::sc {
namespace {

using namespace literals;
using namespace std::chrono_literals;

Instant at_ns(std::int64_t ns) { return Instant{std::chrono::nanoseconds{ns}}; }

constexpr int players = 3;
const Instant last_play = at_ns(20'000), end = at_ns(30'000);
const Wire wire{.rate = 100_Gbps, .latency = 20ns};

fabric::NodeId node(int player) { return fabric::NodeId{static_cast<std::uint16_t>(1 + player)}; }

/// Players around one switch; each promises a reaction time.
struct Game {
  fabric::Topology topology;
  std::vector<std::unique_ptr<RandomPlayer>> devices;

  explicit Game(Duration reaction) {
    const auto router = topology.add_router("switch", {.latency = 100ns});
    const fabric::LinkDirection direction{.rate = 200_Gbps,
                                          .propagation = 10ns,
                                          .credits = {{{16, 256}, {16, 16}, {0, 0}}},
                                          .update_fc = 60ns,
                                          .ack_interval = 50ns,
                                          .fc_interval = 70ns};
    for (int i = 0; i < players; ++i) {
      const auto name = "player" + std::to_string(i);
      topology.add_endpoint(name, {.read_latency = 400ns, .read_jitter = 100ns, .reaction = reaction, .channels = 2});
      topology.connect(router, node(i), direction, direction);
      std::vector<fabric::NodeId> peers;
      for (int peer = 0; peer < players; ++peer)
        if (peer != i) peers.push_back(node(peer));
      devices.push_back(std::make_unique<RandomPlayer>(peers, last_play, reaction, name));
    }
  }
};

/// What the plain loop makes of it: the meaning that SystemC has to reproduce.
std::vector<std::vector<RandomPlayer::Entry>> reference(Duration reaction) {
  Game game{reaction};
  loop::Loop loop{game.topology, fabric::Mode::event};
  for (int i = 0; i < players; ++i)
    loop.add(*game.devices[static_cast<std::size_t>(i)], {.node = node(i), .channels = 2, .windows = {}});
  loop.connect({loop::DeviceIndex{0}, 0}, {loop::DeviceIndex{1}, 0}, {.rate = wire.rate, .latency = wire.latency});
  loop.at(at_ns(5'000), [](auto& f) { f.set_link(fabric::LinkId{1}, false); });
  loop.at(at_ns(7'000), [](auto& f) { f.set_link(fabric::LinkId{1}, true); });
  loop.run_until(end);
  std::vector<std::vector<RandomPlayer::Entry>> logs;
  for (const auto& device : game.devices) logs.push_back(device->log);
  return logs;
}

class SystemC : public testing::TestWithParam<std::tuple<Duration, Duration, fabric::Mode>> {};

TEST_P(SystemC, DoesWhatTheLoopDoes) {
  const auto [quantum, reaction, mode] = GetParam();
  Game game{reaction};
  Domain domain{"domain", {.mode = mode, .quantum = quantum}};
  for (const auto& part : game.topology.nodes)
    part.is_endpoint ? domain.add_endpoint(part.name, part.endpoint) : domain.add_router(part.name, part.router);
  for (const auto& link : game.topology.links) domain.connect(link.a, link.b, link.direction[0], link.direction[1]);
  for (int i = 0; i < players; ++i)
    domain.attach(*game.devices[static_cast<std::size_t>(i)], {.node = node(i), .channels = 2});
  domain.join({DeviceIndex{0}, 0}, {DeviceIndex{1}, 0}, wire);
  domain.at(at_ns(5'000), [](auto& f) { f.set_link(fabric::LinkId{1}, false); });
  domain.at(at_ns(7'000), [](auto& f) { f.set_link(fabric::LinkId{1}, true); });
  sc_core::sc_start(to_sc_time(end - Instant{}));

  const auto wanted = reference(reaction);
  for (std::size_t i = 0; i < players; ++i) {
    EXPECT_GT(wanted[i].size(), 100U);
    ASSERT_EQ(game.devices[i]->log.size(), wanted[i].size());
    for (std::size_t k = 0; k < wanted[i].size(); ++k) {
      EXPECT_EQ(game.devices[i]->log[k].time, wanted[i][k].time) << "player " << i << " entry " << k;
      EXPECT_EQ(game.devices[i]->log[k].kind, wanted[i][k].kind) << "player " << i << " entry " << k;
      EXPECT_EQ(game.devices[i]->log[k].what, wanted[i][k].what) << "player " << i << " entry " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AtAllQuanta, SystemC,
                         testing::Combine(testing::Values(Duration{1ns}, Duration{100ns}, Duration{777ns},
                                                          Duration{1us}, Duration{10us}),
                                          testing::Values(Duration{0}, Duration{150ns}),
                                          testing::Values(fabric::Mode::event, fabric::Mode::train)),
                         [](const auto& info) {
                           return std::string{name_of(std::get<2>(info.param))} + "_quantum_" +
                                  std::to_string(std::get<0>(info.param) / 1ns) + "ns_reaction_" +
                                  std::to_string(std::get<1>(info.param) / 1ns) + "ns";
                         });

}  // namespace
}  // namespace peerpath::sc
