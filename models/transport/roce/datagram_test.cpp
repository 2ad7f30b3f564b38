#include "transport/roce/datagram.hpp"

#include <gtest/gtest.h>

#include <array>

#include "transport/host/fake_host.hpp"
#include "transport/roce/fleet_fixture.hpp"

namespace peerpath::roce {
namespace {

using namespace testing;
using namespace std::chrono_literals;

TEST(Datagrams, CarryTheKeyAndTheSourceAndGoWhereTheirHandleSays) {
  DatagramQueuePair qp{7, 0, 1, {}};
  qp.post({{3, 21, 0x55}, 100, {}});
  qp.post({{4, 23, 0x66}, 200, {}});
  const auto first = qp.next(), second = qp.next();
  EXPECT_FALSE(qp.can_send());
  EXPECT_EQ(first.to.host, 3U);
  EXPECT_EQ(service_of(first.packet.opcode), Service::unreliable_datagram);
  EXPECT_EQ(first.packet.operation(), Operation::send_only);
  EXPECT_EQ(first.packet.destination_qp, 21U);
  EXPECT_EQ(first.packet.key, 0x55U);
  EXPECT_EQ(first.packet.immediate, 7U);
  EXPECT_EQ(second.packet.psn, first.packet.psn + 1);
  EXPECT_EQ(second.packet.destination_qp, 23U);
}

TEST(Datagrams, WithoutAReceiveRequestOrWithAnotherKeyAreLost) {
  DatagramQueuePair qp{7, 0, 1, {.count = 2, .each = 10us}};
  const auto comes = [&](Duration when, std::uint32_t key = 1) {
    Packet packet;
    packet.key = key;
    return qp.take(packet, Instant{when});
  };
  EXPECT_FALSE(comes(0us, 2));
  EXPECT_TRUE(comes(0us));
  EXPECT_TRUE(comes(1us));
  EXPECT_FALSE(comes(9us));
  EXPECT_TRUE(comes(10us));  // the first is posted again; the second at 20, this one at 30
  EXPECT_FALSE(comes(19us));
  EXPECT_TRUE(comes(20us));
  EXPECT_FALSE(comes(29us));
  EXPECT_TRUE(comes(30us));
}

/// A rack in which datagrams of three hosts go to two others, over cables that lose some, into small buffers.
struct Counted {
  std::int64_t sent = 0, received = 0, not_received = 0, network = 0, nic = 0;
};

Counted play(std::uint64_t seed) {
  Random random{seed, "datagrams"};
  auto graph = star(5, BitRate{100'000'000'000});
  for (auto& cable : graph.cables) cable.loss = static_cast<double>(random.below(3)) / 100;
  FleetConfig config;
  config.hosts.resize(5);
  if (random.below(2) == 1)
    config.hosts[3] = {.drain = BitRate{40'000'000'000}, .drain_beside = BitRate{40'000'000'000}};
  config.buffer = Bytes{50'000};
  config.pause_above = config.resume_below = Bytes{1'000'000};  // so that it overflows
  network::SwitchConfig switches;
  if (random.below(2) == 1) switches.lossless.clear(), switches.buffer = Bytes{100'000};
  Rig rig{graph, switches, config};
  Counted counted;
  rig.fleet.datagram = [&](const Packet&, bool received, Instant) {
    ++(received ? counted.received : counted.not_received);
  };
  std::array<AddressHandle, 2> to{};
  for (std::uint32_t h = 3; h < 5; ++h) {
    to[h - 3] = {h, rig.fleet.reserve(1), h};
    rig.fleet.open_datagrams(
        to[h - 3].qp, h, h,
        {.count = 1 + static_cast<int>(random.below(64)), .each = Duration{random.below(500'000'000)}});
  }
  std::map<QpIndex, int> left;
  const auto post = [&](QpIndex qp, Instant now) {
    if (left[qp]-- <= 0) return;
    ++counted.sent;
    rig.fleet.post_datagram(qp, to[random.below(2)], static_cast<std::uint32_t>(1 + random.below(4096)), now);
  };
  rig.fleet.datagram_sent = post;
  for (network::HostIndex h = 0; h < 3; ++h) {
    const auto qp = rig.fleet.reserve(1);
    rig.fleet.open_datagrams(qp, h, 9);
    left[qp] = 300;
    for (int i = 0; i < 4; ++i) post(qp, Instant{});
  }
  rig.network.run(Instant{100ms});
  EXPECT_EQ(rig.network.in_flight(), 0);
  for (network::PortIndex p = 0; p < 2 * rig.network.cables(); ++p)
    counted.network += rig.network.port(p).counters.dropped;
  std::int64_t not_received = 0;
  for (network::HostIndex h = 0; h < 5; ++h) {
    counted.nic += rig.fleet.counters(h).dropped;
    not_received += rig.fleet.counters(h).not_received;
  }
  EXPECT_EQ(not_received, counted.not_received);
  return counted;
}

TEST(Datagrams, EachArrivesOnceOrIsCountedLost) {
  Counted all;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto c = play(seed);
    EXPECT_EQ(c.sent, 900) << seed;
    EXPECT_EQ(c.sent, c.received + c.not_received + c.network + c.nic) << seed;
    all.received += c.received, all.not_received += c.not_received, all.network += c.network, all.nic += c.nic;
  }
  EXPECT_GT(all.received, 0);
  EXPECT_GT(all.not_received, 0);
  EXPECT_GT(all.network, 0);
  EXPECT_GT(all.nic, 0);
}

/// Datagrams of 4 KiB from host 0 to host 1; either may have its PCIe simulated.
struct Stream {
  std::int64_t received = 0;
  NicCounters nic{};
  Instant first{};
};

Stream stream(HostDma* from, HostDma* to, int outstanding, std::int64_t count) {
  FleetConfig config;
  config.dma = {from, to};
  Rig rig{star(2, BitRate{100'000'000'000}), {}, config};
  Stream stream;
  const auto there = rig.fleet.reserve(1), here = rig.fleet.reserve(1);
  rig.fleet.open_datagrams(there, 1, 5);
  rig.fleet.open_datagrams(here, 0, 9);
  const auto post = [&](QpIndex qp, Instant now) {
    if (count-- > 0) rig.fleet.post_datagram(qp, {1, there, 5}, 4096, now);
  };
  rig.fleet.datagram_sent = post;
  rig.fleet.datagram = [&](const Packet&, bool received, Instant now) {
    if (stream.received == 0) stream.first = now;
    stream.received += received ? 1 : 0;
  };
  for (int i = 0; i < outstanding; ++i) post(here, Instant{});
  rig.network.run(Instant{1ms});
  stream.nic = rig.fleet.counters(1);
  return stream;
}

TEST(Datagrams, AreReceivedWhenTheyAreInMemory) {
  constexpr BitRate cable{100'000'000'000};
  transport::testing::FakeHost from{cable, cable}, to{cable, cable};
  // At either end the NIC's 300 ns, and the payload at the rate of memory.
  EXPECT_EQ(stream(&from, &to, 1, 1).first - stream(nullptr, nullptr, 1, 1).first, 2 * (300ns + Bytes{4096} / cable));
}

TEST(Datagrams, AtASlowHostAreReceivedWhenMemoryHasTakenThemIn) {
  constexpr BitRate memory{1'000'000'000};
  FleetConfig config;
  config.hosts = {{}, {.drain = memory, .drain_beside = memory}};
  Rig rig{star(2, BitRate{100'000'000'000}), {}, config};
  const auto from = rig.fleet.reserve(1), to = rig.fleet.reserve(1);
  rig.fleet.open_datagrams(from, 0, 7);
  rig.fleet.open_datagrams(to, 1, 7);
  std::vector<Instant> received;
  rig.fleet.datagram = [&](const Packet&, bool, Instant now) { received.push_back(now); };
  for (int i = 0; i < 2; ++i) rig.fleet.post_datagram(from, {1, to, 7}, 1000, {});
  rig.network.run(Instant{1ms});
  ASSERT_EQ(received.size(), 2U);
  EXPECT_GE(received[0] - Instant{}, Bytes{1000} / memory);
  EXPECT_GE(received[1] - Instant{}, Bytes{2000} / memory);
}

TEST(Datagrams, FillTheBufferOfANicWhoseHostTakesLessAndNoneIsLost) {
  constexpr BitRate cable{100'000'000'000}, slow{40'000'000'000};
  transport::testing::FakeHost slow_from{cable, slow}, slow_to{slow, cable};
  const auto into = stream(nullptr, &slow_to, 8, 1 << 20), out_of = stream(&slow_from, nullptr, 64, 1 << 20);
  EXPECT_NEAR(static_cast<double>(into.received) * 4096 * 8 / 1e6, 40, 1);
  EXPECT_GT(into.nic.pauses, 0);
  EXPECT_EQ(into.nic.dropped, 0);
  EXPECT_NEAR(static_cast<double>(out_of.received) * 4096 * 8 / 1e6, 40, 1);
  EXPECT_EQ(out_of.nic.pauses, 0);
}

TEST(Datagrams, ShareAPortWithAConnectionPacketByPacket) {
  Rig rig{star(3, BitRate{100'000'000'000}), {}, {}};
  rig.keep_busy(rig.fleet.connect(0, 1), Work::write, 1 << 20, 2);
  const auto qp = rig.fleet.reserve(1), other = rig.fleet.reserve(1);
  rig.fleet.open_datagrams(qp, 0, 1);
  rig.fleet.open_datagrams(other, 2, 1);
  std::int64_t received = 0;
  rig.fleet.datagram = [&](const Packet& packet, bool, Instant) { received += packet.length; };
  rig.fleet.datagram_sent = [&](QpIndex number, Instant now) {
    rig.fleet.post_datagram(number, {2, other, 1}, 4096, now);
  };
  for (int i = 0; i < 4; ++i) rig.fleet.post_datagram(qp, {2, other, 1}, 4096, Instant{});
  rig.network.run(Instant{1ms});
  // half of 98 Gb/s each
  EXPECT_NEAR(static_cast<double>(received) * 8 / 1e6, 49, 1);
  EXPECT_NEAR(static_cast<double>(rig.done_bytes) * 8 / 1e6, 49, 9);
}

}  // namespace
}  // namespace peerpath::roce
