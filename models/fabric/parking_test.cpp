// Packets that a limit of `advance` cuts in two: whoever looks or changes something between two calls finds the
// computed engine where the reference is.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "peerpath/base/fail.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr std::array<std::uint16_t, 2> links{0, 1};

/// One flow of equal packets through a switch, as a mode computes it.
struct EqualPackets : DeliverySink {
  Topology topology;
  NodeId from, to;
  std::vector<Delivery> deliveries;
  std::unique_ptr<Fabric> fabric;

  explicit EqualPackets(Mode mode) {
    const NodeId node = topology.add_router("switch", {110ns});
    from = topology.add_endpoint("nic", {});
    to = topology.add_endpoint("gpu", {});
    LinkDirection line{.rate = 252_Gbps, .propagation = 10ns, .update_fc = 60ns};
    line.ack_interval = 60ns;
    line.fc_interval = 100ns;
    topology.connect(from, node, line, line);
    line.rate = 504_Gbps;
    topology.connect(node, to, line, line);
    fabric = make_fabric(topology, *this, mode);
  }
  void deliver(const Delivery& d) override {
    if (d.purpose == pcie::Purpose::payload) deliveries.push_back(d);
  }
  void submit(int packet, Duration gap) {
    fabric->submit(from, ChannelIndex{1}, {.target = to, .bytes = 4_KiB, .ready = Instant{packet * gap}});
  }
  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> all;
    for (const std::uint16_t link : links)
      for (const int direction : {0, 1}) {
        const DirectionCounters c = fabric->counters(LinkId{link}, direction);
        all.insert(all.end(), {c.dllps, c.busy.count(), c.queueing.count(), c.credit_stall.count()});
        for (const Tally& tally : c.tallies) all.push_back(tally.tlps);
      }
    return all;
  }
};

/// Plays both in steps, with `look` between them, and expects them to be the same.
template <class Look>
void play(Duration step, Look&& look) {
  EqualPackets expected{Mode::event}, got{Mode::train};
  const Duration gap = Duration{166'160'000};
  for (int packet = 0; packet < 60; ++packet)
    for (EqualPackets* flow : {&expected, &got}) flow->submit(packet, gap);
  Random random{1, "parking"};
  for (Instant limit{step}; limit < Instant{12us}; limit += step) {
    for (EqualPackets* flow : {&expected, &got}) flow->fabric->advance(limit);
    const std::uint64_t chance = random.next();
    for (EqualPackets* flow : {&expected, &got}) look(*flow, chance);
  }
  for (EqualPackets* flow : {&expected, &got}) {
    for (const std::uint16_t link : links) flow->fabric->set_link(LinkId{link}, true);
    flow->fabric->advance(Instant{1ms});
  }
  ASSERT_EQ(expected.deliveries.size(), 60u);
  ASSERT_EQ(got.deliveries.size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(expected.deliveries[i].done, got.deliveries[i].done);
  EXPECT_EQ(expected.counts(), got.counts());
}

class Parking : public ::testing::TestWithParam<Duration> {};

TEST_P(Parking, CountersAreThoseOfTheTimeReached) {
  std::vector<std::vector<std::int64_t>> seen;
  play(GetParam(), [&](const EqualPackets& flow, std::uint64_t) { seen.push_back(flow.counts()); });
  for (std::size_t i = 0; i + 1 < seen.size(); i += 2) ASSERT_EQ(seen[i], seen[i + 1]) << "after step " << i / 2;
}

TEST_P(Parking, LinksGoDownUnderWhatWasPutOff) {
  play(GetParam(), [&](const EqualPackets& flow, std::uint64_t chance) {
    flow.fabric->set_link(LinkId{static_cast<std::uint16_t>(chance >> 8 & 1)}, chance % 8 != 0);
  });
}

TEST_P(Parking, TheTargetSendsBackMeanwhile) {
  Duration now{};
  int calls = 0;
  play(GetParam(), [&](const EqualPackets& flow, std::uint64_t chance) {
    if (calls++ % 2 == 0) now += GetParam();
    if (chance % 4 == 0)
      flow.fabric->submit(
          flow.to, ChannelIndex{1},
          {.target = flow.from, .purpose = pcie::Purpose::doorbell, .bytes = 8_B, .ready = Instant{now}});
  });
}

TEST(Advance, RefusesTheEndOfTime) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    EqualPackets flow{mode};
    EXPECT_EXIT(flow.fabric->advance(never), ::testing::ExitedWithCode(exit_bug), "largest representable time");
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, Parking, ::testing::Values(3ns, 37ns, Duration{166'160'000}, 500ns, 1us));

}  // namespace
}  // namespace peerpath::fabric
