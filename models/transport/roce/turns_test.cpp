#include "transport/roce/turns.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "transport/roce/fleet_fixture.hpp"

namespace peerpath::roce {
namespace {

constexpr Turns::Kinds leaving = 1 << 4;

/// The same by looking at each.
struct Plain {
  struct Item {
    std::uint32_t who;
    Turns::Kinds kinds;
  };
  std::optional<std::uint32_t> take(Turns::Kinds wanted) {
    for (auto left = items.size(); left > 0; --left) {
      const auto item = items.front();
      items.pop_front();
      if (item.kinds & leaving) {
        gone.push_back(item.who);
        continue;
      }
      items.push_back(item);
      if (item.kinds & wanted) return item.who;
    }
    return std::nullopt;
  }
  std::deque<Item> items;
  std::vector<std::uint32_t> gone;
};

TEST(Turns, AreThoseOfARoundRobinThatLooksAtEach) {
  Random random{7, "turns"};
  Turns turns;
  Plain plain;
  std::map<std::uint32_t, Turns::Place> places;
  std::vector<std::uint32_t> gone;
  for (std::uint32_t step = 0; step < 50'000; ++step) {
    const auto kinds = random.below(8) == 0 ? leaving : static_cast<Turns::Kinds>(random.below(16));
    if (const auto what = random.below(8); what < 2) {
      places[step] = turns.push(step, kinds);
      plain.items.push_back({step, kinds});
    } else if (what < 5 && !plain.items.empty()) {
      auto& item = plain.items[random.below(plain.items.size())];
      item.kinds = kinds;
      turns.change(places.at(item.who), kinds);
    } else {
      const auto wanted = static_cast<Turns::Kinds>(1) << random.below(4);
      ASSERT_EQ(turns.take(wanted, leaving, [&](std::uint32_t who) { gone.push_back(who); }), plain.take(wanted))
          << step;
    }
    Turns::Kinds all = 0;
    for (const auto& item : plain.items) all |= item.kinds;
    ASSERT_EQ(turns.kinds(), all);
    ASSERT_EQ(turns.empty(), plain.items.empty());
    ASSERT_EQ(gone, plain.gone);
  }
  EXPECT_GT(gone.size(), 1000u);
}

TEST(Turns, AreFoundInAFewStepsAmongManyThatWait) {
  Turns turns;
  constexpr std::uint32_t many = 1 << 16;
  for (std::uint32_t i = 0; i < many; ++i) turns.push(i, 1);
  const auto place = turns.push(many, 2);
  const auto before = turns.visited();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(turns.take(2, leaving, [](std::uint32_t) {}), many);
    turns.change(place, i % 2 == 0 ? 3 : 2);
  }
  EXPECT_LT(turns.visited() - before, 1000 * 200);
}

enum class Wait : std::uint8_t { rate_of_nic, rate_of_queue_pair, paused_priority, dcqcn };

/// What a NIC looks at for each packet that it sends, while that many queue pairs wait.
double work_per_packet(Wait wait, int many) {
  FleetConfig config;
  if (wait == Wait::rate_of_nic) config.work.messages = 5'000'000;
  if (wait == Wait::rate_of_queue_pair) config.work.qp_messages = 2'000;
  if (wait == Wait::dcqcn) config.dcqcn = DcqcnSet::original;
  network::SwitchConfig switches;
  switches.buffer = Bytes{1'000'000};
  testing::Rig rig{testing::star(4, BitRate{25'000'000'000}), switches, config};
  const bool many_bytes = wait == Wait::paused_priority || wait == Wait::dcqcn;
  for (int i = 0; i < many; ++i) rig.keep_busy(rig.fleet.connect(0, 2), Work::write, many_bytes ? 1 << 16 : 64, 1);
  if (many_bytes)
    for (int i = 0; i < 8; ++i) rig.keep_busy(rig.fleet.connect(1, 2), Work::write, 1 << 16, 1);
  const auto other = rig.fleet.connect(0, 3);
  rig.fleet.set_priority(other, 4);
  rig.keep_busy(other, Work::write, 1000, 16);
  rig.network.run(Instant{std::chrono::milliseconds{2}});
  return static_cast<double>(rig.fleet.looked_at()) / static_cast<double>(rig.fleet.counters(0).sent);
}

TEST(Turns, WorkForAPacketHardlyGrowsWithTheQueuePairsThatWait) {
  for (const auto wait : {Wait::rate_of_nic, Wait::rate_of_queue_pair, Wait::paused_priority, Wait::dcqcn})
    EXPECT_LT(work_per_packet(wait, 3200), 4 * work_per_packet(wait, 100)) << static_cast<int>(wait);
}

}  // namespace
}  // namespace peerpath::roce
