// Turns, by themselves: no slot starves, weights and virtual channels have their shares.
#include "fabric/engine/arbiter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace peerpath::fabric::engine {
namespace {

constexpr SlotsByChannel on_vc0(std::uint64_t slots) { return {slots, 0}; }

/// The slots that win, one after the other, where the same ones can always start.
std::vector<int> winners(Arbiter arbiter, const SlotsByChannel& slots, int turns) {
  std::vector<int> all;
  for (int i = 0; i < turns; ++i) {
    const auto [channel, slot] = arbiter.pick(slots);
    arbiter.started(channel, slot, 1);
    all.push_back(100 * channel + slot);
  }
  return all;
}

TEST(Arbiter, IsRoundRobinWhereAllCanAlwaysStart) {
  EXPECT_EQ(winners(Arbiter{{}, {}}, on_vc0(0b1001001), 7), (std::vector{0, 3, 6, 0, 3, 6, 0}));
}

TEST(Arbiter, ASlotThatCanSeldomStartGoesFirstWhenItCan) {
  Arbiter arbiter{{}, {}};
  arbiter.started(0, 0, 1);
  arbiter.started(0, 3, 1);
  arbiter.started(0, 6, 1);
  // Slot 3 starts again and again while the others lack something; slot 0 has waited longest, then slot 6.
  for (int i = 0; i < 5; ++i) arbiter.started(0, 3, 1);
  EXPECT_EQ(arbiter.pick(on_vc0(0b1001001)).slot, 0);
  EXPECT_EQ(arbiter.pick(on_vc0(0b1001000)).slot, 6);
}

TEST(Arbiter, NoSlotWaitsForMoreThanOneTurnOfEachOther) {
  // Whatever can start besides: after each turn another part of the slots is ready.
  Arbiter arbiter{{}, {}};
  const std::uint64_t patient = 1u << 5;
  int waited = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto [channel, slot] = arbiter.pick(on_vc0(patient | (1u << (i % 3)) | (1u << (6 + i % 2))));
    arbiter.started(channel, slot, 1);
    waited = slot == 5 ? 0 : waited + 1;
    ASSERT_LE(waited, 5);
  }
}

TEST(Arbiter, AWeightedIngressKeepsItsTurn) {
  EXPECT_EQ(winners(Arbiter{{3, 1}, {}}, on_vc0(0b1001), 9), (std::vector{0, 0, 0, 3, 0, 0, 0, 3, 0}));
}

TEST(Arbiter, ATrainCountsAsItsTlps) {
  Arbiter arbiter{{3, 1}, {}};
  arbiter.started(0, 0, 5);  // the second of the next three
  EXPECT_EQ(arbiter.pick(on_vc0(0b1001)).slot, 0);
  arbiter.started(0, 0, 1);
  EXPECT_EQ(arbiter.pick(on_vc0(0b1001)).slot, 3);
}

TEST(Arbiter, AnotherSlotEndsTheTurns) {
  Arbiter arbiter{{3, 2}, {}};
  arbiter.started(0, 0, 1);
  arbiter.started(0, 3, 1);  // slot 0 could not
  EXPECT_EQ(arbiter.pick(on_vc0(0b1001)).slot, 3);
  arbiter.started(0, 3, 1);
  EXPECT_EQ(arbiter.pick(on_vc0(0b1001)).slot, 0);
}

TEST(Arbiter, ByStrictPriorityVc1GoesFirst) {
  EXPECT_EQ(winners(Arbiter{{}, {}}, {0b1, 0b1000}, 3), (std::vector{103, 103, 103}));
  EXPECT_EQ(winners(Arbiter{{}, {}}, {0b1, 0}, 2), (std::vector{0, 0}));
}

TEST(Arbiter, WeightedChannelsHaveTheirTurnsInARow) {
  EXPECT_EQ(winners(Arbiter{{}, {.vc0_turns = 1, .vc1_turns = 2}}, {0b1, 0b1000}, 6),
            (std::vector{103, 103, 0, 103, 103, 0}));
}

}  // namespace
}  // namespace peerpath::fabric::engine
