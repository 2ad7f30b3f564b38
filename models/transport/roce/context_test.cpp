#include <gtest/gtest.h>

#include "transport/host/fake_host.hpp"
#include "transport/roce/fleet_fixture.hpp"

namespace peerpath::roce {
namespace {

using namespace testing;
using namespace std::chrono_literals;

TEST(Contexts, AreKeptUntilOthersNeedTheRoom) {
  EntryCache cache{64};
  EXPECT_FALSE(cache.use(1));
  EXPECT_TRUE(cache.use(1));
  for (std::uint32_t qp = 2; qp < 1000; ++qp) cache.use(qp);
  EXPECT_FALSE(cache.use(1)) << "998 others have been used since";
}

struct Taken {
  double gbps = 0;
  NicCounters nic{};
};

/// 64 queue pairs in turn, each with messages of one packet of 4 KiB.
Taken taken_with(int entries, HostDma* host = nullptr) {
  FleetConfig config;
  config.contexts = {entries, 1us};
  config.dma = {nullptr, host};
  Rig rig{star(2, BitRate{100'000'000'000}), {}, config};
  for (int q = 0; q < 64; ++q) rig.keep_busy(rig.fleet.connect(0, 1), Work::write, 4096, 1);
  rig.network.run(Instant{2ms});
  const auto before = rig.done_bytes;
  rig.network.run(Instant{4ms});
  EXPECT_EQ(rig.fleet.counters(1).dropped, 0);
  return {static_cast<double>((rig.done_bytes - before) * 8) / 2e6, rig.fleet.counters(1)};
}

TEST(Contexts, EachMissIsAReadBeforeThePacketIsTakenIn) {
  EXPECT_NEAR(taken_with(0).gbps, 98, 1);
  const auto kept = taken_with(1 << 12);
  EXPECT_NEAR(kept.gbps, 98, 1);
  EXPECT_EQ(kept.nic.contexts_missed, 64) << "the first packet of each";
  const auto few = taken_with(16);
  const auto share = static_cast<double>(few.nic.contexts_missed) / static_cast<double>(few.nic.contexts);
  EXPECT_GT(share, 0.8);
  EXPECT_NEAR(few.gbps * share, 32.8, 0.04 * 32.8) << "one packet of 4 KiB a microsecond, of those that miss";
}

TEST(Contexts, MissesHoldUpWritesToAHostWhosePcieIsSimulated) {
  transport::testing::FakeHost host{BitRate{200'000'000'000}, BitRate{200'000'000'000}};
  const auto few = taken_with(16, &host), rated = taken_with(16);
  EXPECT_GT(few.nic.pauses, 0);
  EXPECT_NEAR(few.gbps / rated.gbps, 1, 0.03);
}

/// Latencies of one message of 1 KB each 20 us from a host that two elephants, of itself and of another, are paused
/// for.
std::vector<Duration> beside_a_paused_priority(int priority, Work work) {
  network::SwitchConfig switches;
  switches.buffer = Bytes{1'000'000};
  Rig rig{star(4, BitRate{25'000'000'000}), switches, {}};
  std::vector<Duration> out;
  const auto restart = rig.fleet.completed;
  const auto mouse = rig.fleet.connect(0, 3);
  rig.fleet.set_priority(mouse, priority);
  rig.fleet.completed = [&](QpIndex qp, const Completion& c, Instant posted, Instant now) {
    if (qp == mouse) out.push_back(now - posted);
    restart(qp, c, posted, now);
  };
  rig.fleet.alarm = [&](std::uint64_t, Instant now) {
    rig.fleet.post(mouse, {.work = work, .length = 1000}, now);
    rig.fleet.wake(now + 20us, 0);
  };
  rig.fleet.wake(Instant{1ms}, 0);
  for (network::HostIndex h = 0; h < 2; ++h) rig.keep_busy(rig.fleet.connect(h, 2), Work::write, 1 << 20, 2);
  if (work == Work::read) rig.keep_busy(rig.fleet.connect(3, 1), Work::write, 1 << 20, 2);
  rig.network.run(Instant{5ms});
  std::ranges::sort(out);
  return out;
}

TEST(Priorities, APausedOneDoesNotHoldUpAnother) {
  const auto same = beside_a_paused_priority(3, Work::write), other = beside_a_paused_priority(4, Work::write);
  ASSERT_GT(other.size(), 190U);
  // 3.3 us alone, and 1.3 for a packet of 4 KiB that has begun, at its NIC and at the switch.
  EXPECT_LT(other.back(), 6200ns);
  EXPECT_GT(same[same.size() / 2], 6200ns);
}

TEST(Priorities, AnswersOfReadsHaveThatOfTheRequest) {
  const auto same = beside_a_paused_priority(3, Work::read), other = beside_a_paused_priority(4, Work::read);
  EXPECT_LT(other.back(), 7400ns) << "the same, and a packet at the other NIC";
  EXPECT_GT(same[same.size() / 2], 7400ns);
}

}  // namespace
}  // namespace peerpath::roce
