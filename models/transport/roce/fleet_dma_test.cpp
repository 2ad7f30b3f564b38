#include <gtest/gtest.h>

#include "transport/host/fake_host.hpp"
#include "transport/roce/fleet_fixture.hpp"

namespace peerpath::roce {
namespace {

using namespace testing;
using namespace std::chrono_literals;

using transport::testing::FakeHost;

constexpr BitRate cable{100'000'000'000}, slow{40'000'000'000};

double goodput(Rig& rig, Duration window) {
  rig.network.run(Instant{1ms});
  const auto before = rig.done_bytes;
  rig.network.run(Instant{1ms} + window);
  return static_cast<double>(rig.done_bytes - before) * 8e6 / static_cast<double>(window.count());
}

TEST(FleetDma, MemoryThatTakesInTooLittleFillsTheNicWhichPausesTheSwitchAndLosesNothing) {
  FakeHost host{slow, cable};
  FleetConfig config;
  config.dma = {nullptr, &host};
  Rig rig{star(2, cable), {}, config};
  rig.keep_busy(rig.fleet.connect(0, 1), Work::write, 1 << 20, 8);
  EXPECT_NEAR(goodput(rig, 5ms), 40, 1.7);
  EXPECT_GT(rig.fleet.counters(1).pauses, 0);
  EXPECT_EQ(rig.fleet.counters(1).dropped, 0);
  EXPECT_EQ(rig.fleet.requester(0).retransmissions(), 0);
}

TEST(FleetDma, WhatIsSentComesOutOfMemoryFirst) {
  for (const auto work : {Work::write, Work::read}) {
    FakeHost host{cable, slow};
    FleetConfig config;
    config.dma = work == Work::write ? std::vector<HostDma*>{&host} : std::vector<HostDma*>{nullptr, &host};
    Rig rig{star(2, cable), {}, config};
    rig.keep_busy(rig.fleet.connect(0, 1), work, 1 << 20, 8);
    EXPECT_NEAR(goodput(rig, 5ms), 40, 1.7);
    EXPECT_EQ(rig.fleet.counters(1).pauses, 0);
  }
}

TEST(FleetDma, AMessageHasArrivedWhenItIsInMemory) {
  FakeHost from{cable, cable}, to{cable, cable};
  const auto arrives = [](std::vector<HostDma*> dma) {
    FleetConfig config;
    config.dma = std::move(dma);
    Rig rig{star(2, cable), {}, config};
    Instant at{};
    rig.fleet.message = [&](QpIndex, const Packet&, Instant now) { at = now; };
    rig.fleet.post(rig.fleet.connect(0, 1), {.length = 4096}, Instant{});
    rig.network.run(Instant{1ms});
    return at;
  };
  const auto alone = arrives({}), with = arrives({&from, &to});
  // At either end the NIC's 300 ns, and the payload at the rate of memory.
  EXPECT_EQ(with - alone, 2 * (300ns + Bytes{4096} / cable));
}

TEST(FleetDma, ManyMessagesOfManyQueuePairsArriveOnceEach) {
  FakeHost from{cable, slow}, to{slow, cable};
  FleetConfig config;
  config.dma = {&from, &to};
  config.connection.recovery = Recovery::selective_repeat;
  config.connection.timeout = 200us;
  Rig rig{star(2, cable), {}, config};
  std::map<QpIndex, int> arrived;
  rig.fleet.message = [&](QpIndex qp, const Packet&, Instant) { ++arrived[qp]; };
  for (int q = 0; q < 8; ++q) {
    const auto qp = rig.fleet.connect(q % 2 == 0 ? 0 : 1, q % 2 == 0 ? 1 : 0);
    for (std::uint64_t i = 0; i < 20; ++i)
      rig.fleet.post(qp, {.id = i, .length = static_cast<std::uint32_t>(i * 1000)}, Instant{});
  }
  rig.network.run(Instant{20us});
  rig.network.set_cable(1, false, Instant{20us});
  rig.network.run(Instant{30us});
  rig.network.set_cable(1, true, Instant{30us});
  rig.network.run(Instant{50ms});
  EXPECT_EQ(arrived.size(), 8U);
  for (const auto& [qp, count] : arrived) EXPECT_EQ(count, 20) << qp;
  EXPECT_EQ(rig.failed, 0);
}

}  // namespace
}  // namespace peerpath::roce
