#include "flows/channels.hpp"

#include <gtest/gtest.h>

namespace peerpath::flows {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// Hosts 0 and 1 on one switch, 2 on another, with two cables between the switches.
network::Graph graph() {
  network::Graph g;
  const auto a = g.add_switch("a"), b = g.add_switch("b");
  for (const auto& [name, at] : {std::pair{"h0", a}, {"h1", a}, {"h2", b}})
    g.connect(g.add_host(name), at, 100_Gbps, 100ns);
  g.connect(a, b, 100_Gbps, 100ns);
  g.connect(a, b, 100_Gbps, 100ns);
  return g;
}

struct ChannelsRig {
  network::Graph g = graph();
  Channels channels;
  std::vector<std::pair<ChannelIndex, Instant>> in{};
  explicit ChannelsRig(ChannelConfig config = {.switch_latency = 300ns, .queued = 0}) : channels{g, config} {
    channels.arrived = [this](ChannelIndex channel, std::uint32_t, Instant now) { in.emplace_back(channel, now); };
    channels.completed = [](ChannelIndex, std::uint32_t, Instant, Instant) {};
    channels.alarm = [](std::uint64_t, Instant) {};
  }
};

/// One packet of 4096 bytes is 4178 on the wire with RoCE's headers, preamble, FCS and gap: 334.24 ns at 100 Gb/s.
TEST(Channels, OnePacketTakesTheTimeOfTheWireOnEachCable) {
  ChannelsRig f;
  const auto channel = f.channels.connect(0, 2);
  f.channels.post(channel, 4_KiB, 0, Instant{});
  f.channels.run(Instant{1ms});
  ASSERT_EQ(f.in.size(), 1u);
  EXPECT_EQ(f.in[0].first, channel ^ 1);
  const auto packet = f.channels.busy(Instant{1ms})[0];
  EXPECT_EQ(packet, Duration{4178 * 80'000});
  EXPECT_EQ(f.in[0].second, Instant{} + 3 * packet + 300ns + 600ns);
}

TEST(Channels, MessagesOfAChannelGoOneAfterTheOtherAndBackToBack) {
  ChannelsRig f;
  const auto channel = f.channels.connect(0, 1);
  for (int i = 0; i < 3; ++i) f.channels.post(channel, 1_MiB, 0, Instant{});
  f.channels.run(Instant{10ms});
  ASSERT_EQ(f.in.size(), 3u);
  EXPECT_EQ(f.in[2].second - f.in[1].second, f.in[1].second - f.in[0].second);
}

TEST(Channels, APartOfAMessageHasArrivedWhenItsSlowestLinkHasCarriedIt) {
  ChannelsRig slow{{.queued = 0, .drain = {BitRate{}, 25_Gbps}}};
  const auto channel = slow.channels.connect(0, 1);
  slow.channels.post(channel, 16_MiB, 0, Instant{});
  slow.channels.run(Instant{1ms});
  const auto carried = static_cast<double>(slow.channels.carried(channel, Instant{1ms}).count()) * 8 / 1e6;
  EXPECT_NEAR(carried, 25 * 4096.0 / (4096 + 58), 0.1);  // Gb/s
}

TEST(Channels, AHostThatTakesInAQuarterTakesFourTimesAsLong) {
  ChannelsRig fast, slow{{.queued = 0, .drain = {BitRate{}, 25_Gbps}}};
  for (auto* f : {&fast, &slow}) {
    f->channels.post(f->channels.connect(0, 1), 16_MiB, 0, Instant{});
    f->channels.run(Instant{100ms});
  }
  const auto ratio = static_cast<double>((slow.in[0].second - Instant{}).count()) /
                     static_cast<double>((fast.in[0].second - Instant{}).count());
  EXPECT_NEAR(ratio, 4, 0.05);  // a quarter of frames, whose preambles and gaps the wire has to carry
}

/// From any time to any other: what several messages have in part does not add up.
TEST(Channels, APortIsBusyWhileAnyMessageGoesOnAndNoLonger) {
  ChannelsRig f;
  for (int i = 0; i < 50; ++i) f.channels.post(f.channels.connect(0, 1), 64_KiB, 0, Instant{});
  for (const auto now : {Instant{1ns}, Instant{333ns}, Instant{100us}}) {
    f.channels.run(now);
    EXPECT_EQ(f.channels.busy(now)[0], now - Instant{});
  }
  f.channels.run(Instant{1ms});
  const auto packets = std::int64_t{50} * 16 * (4096 + 58 + 24);
  EXPECT_NEAR(static_cast<double>(f.channels.busy(Instant{1ms})[0].count()), static_cast<double>(packets) * 80'000,
              1e5);
}

/// A message that is posted while there is no way at all goes when there is one again.
TEST(Channels, AMessageWaitsForAWay) {
  ChannelsRig f;
  for (const network::CableIndex c : {3u, 4u}) f.channels.set_cable(c, false);
  f.channels.reroute();
  const auto channel = f.channels.connect(0, 2);
  f.channels.post(channel, 1_MiB, 0, Instant{});
  f.channels.alarm = [&](std::uint64_t, Instant) {
    f.channels.set_cable(3, true);
    f.channels.reroute();
  };
  f.channels.wake(Instant{1ms}, 0);
  f.channels.run(Instant{10ms});
  ASSERT_EQ(f.in.size(), 1u);
  EXPECT_GT(f.in[0].second, Instant{1ms});
}

/// Over the cable that fails; 1 ms of the message is over when it does, and routes follow 1 ms later.
TEST(Channels, AFailedCableHoldsAMessageUntilRoutesFollow) {
  ChannelsRig f;
  const auto channel = f.channels.connect(0, 2);
  f.channels.post(channel, Bytes{25'000'000}, 0, Instant{});
  f.channels.alarm = [&](std::uint64_t detail, Instant) {
    if (detail == 1) return f.channels.reroute();
    for (const network::CableIndex c : {3u, 4u})
      if (detail == 0) f.channels.set_cable(c, false);
    f.channels.set_cable(4, true);
  };
  f.channels.wake(Instant{1ms}, 0);
  f.channels.wake(Instant{2ms}, 1);
  f.channels.run(Instant{1s});
  ASSERT_EQ(f.in.size(), 1u);
  EXPECT_GT(f.in[0].second, Instant{2ms});
  EXPECT_LT(f.in[0].second, Instant{3100us});
}

}  // namespace
}  // namespace peerpath::flows
