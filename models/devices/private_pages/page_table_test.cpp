#include "devices/private_pages/page_table.hpp"

#include <gtest/gtest.h>

namespace peerpath::private_pages {
namespace {

constexpr Translation in_host{Place::host, 0};

Translation in_slot(std::uint32_t slot) { return {Place::vram, slot}; }

/// Plays a job to its end; what was done, in order.
std::vector<Step> steps_of(PageTable& table, Action action) {
  std::vector<Step> steps;
  for (; action.step != Step::nothing; action = table.next()) steps.push_back(action.step);
  return steps;
}

using Steps = std::vector<Step>;

TEST(PageTable, MigratesAPageThatTheNicFaultsOn) {
  PageTable table{Policy::migrate, 4, 2};
  EXPECT_EQ(table.fault(1, true), (Action{Step::copy_to_host, 1, {}}));
  EXPECT_EQ(table.place(1), Place::vram) << "until the copy is whole";
  EXPECT_EQ(table.next(), (Action{Step::install, 1, in_host}));
  EXPECT_EQ(table.next(), Action{});
  EXPECT_EQ(table.state(1), State::host);
  EXPECT_EQ(table.counters().to_host, 1);
  EXPECT_EQ(table.counters().full + table.counters().unreachable, 0) << "a policy, not a fallback";
}

TEST(PageTable, InstallsAgainWhatIsThereAlready) {
  PageTable table{Policy::migrate, 4, 2};
  steps_of(table, table.fault(1, true));
  EXPECT_EQ(table.fault(1, true), (Action{Step::install, 1, in_host}));
}

TEST(PageTable, AliasesThroughTheWindow) {
  PageTable table{Policy::alias, 4, 2};
  EXPECT_EQ(table.fault(3, true).step, Step::map);
  EXPECT_EQ(table.next(), (Action{Step::install, 3, in_slot(0)}));
  table.next();
  EXPECT_EQ(table.state(3), State::vram_aliased);
  EXPECT_EQ(table.place(3), Place::vram);
}

TEST(PageTable, PageMappedLongestAgoGivesWay) {
  PageTable table{Policy::alias, 4, 2};
  steps_of(table, table.fault(0, true));
  steps_of(table, table.fault(1, true));
  auto action = table.fault(2, true);
  EXPECT_EQ(action, (Action{Step::invalidate, 0, {}})) << "before its slot is another page's";
  EXPECT_EQ(table.next(), (Action{Step::unmap, 0, {}}));
  EXPECT_EQ(table.next(), (Action{Step::map, 2, {}}));
  EXPECT_EQ(table.next(), (Action{Step::install, 2, in_slot(0)}));
  table.next();
  EXPECT_EQ(table.state(0), State::vram_private);
  EXPECT_EQ(table.counters().displaced, 1);
}

TEST(PageTable, AliasAloneRefusesWhereNoWayLeadsToThePeer) {
  PageTable table{Policy::alias, 4, 2};
  EXPECT_EQ(steps_of(table, table.fault(0, false)), Steps{Step::refuse});
  EXPECT_EQ(table.counters().refused, 1);
  EXPECT_EQ(table.state(0), State::vram_private);
}

TEST(PageTable, FallsBackWhenTheWindowIsFull) {
  PageTable table{Policy::alias_with_fallback, 4, 1};
  steps_of(table, table.fault(0, true));
  EXPECT_EQ(steps_of(table, table.fault(1, true)), (Steps{Step::copy_to_host, Step::install}));
  EXPECT_EQ(table.state(0), State::vram_aliased) << "nobody gives way";
  EXPECT_EQ(table.state(1), State::host);
  EXPECT_EQ(table.counters().full, 1);
}

TEST(PageTable, FallsBackWhereNoWayLeadsToThePeer) {
  PageTable table{Policy::alias_with_fallback, 4, 1};
  EXPECT_EQ(steps_of(table, table.fault(0, false)), (Steps{Step::copy_to_host, Step::install}));
  EXPECT_EQ(table.counters().unreachable, 1);
}

TEST(PageTable, PageThatTheGpuTouchesComesBackWithoutTheNic) {
  PageTable table{Policy::migrate, 4, 1};
  EXPECT_EQ(table.touch(0), Action{}) << "it has the page";
  steps_of(table, table.fault(0, true));
  EXPECT_EQ(steps_of(table, table.touch(0)), (Steps{Step::invalidate, Step::copy_to_vram}));
  EXPECT_EQ(table.state(0), State::vram_private);
  EXPECT_EQ(table.counters().to_vram, 1);
}

TEST(PageTable, EvictionTakesTheAliasFirst) {
  PageTable table{Policy::alias, 4, 1};
  steps_of(table, table.fault(0, true));
  EXPECT_EQ(steps_of(table, table.evict(0)), (Steps{Step::invalidate, Step::unmap, Step::copy_to_host}));
  EXPECT_EQ(table.aperture().used(), 0U);
  EXPECT_EQ(steps_of(table, table.evict(1)), Steps{Step::copy_to_host}) << "the NIC never had it";
  EXPECT_EQ(table.evict(1), Action{}) << "it is there";
}

TEST(PageTable, CopyThatFailsLeavesThePageAndRefusesTheFault) {
  PageTable table{Policy::migrate, 4, 1};
  table.fault(0, true);
  EXPECT_EQ(table.next(false), (Action{Step::refuse, 0, {}}));
  EXPECT_EQ(table.next(), Action{});
  EXPECT_EQ(table.state(0), State::vram_private);
  table.evict(0);
  EXPECT_EQ(table.next(false), Action{}) << "nobody waits for an eviction";
}

}  // namespace
}  // namespace peerpath::private_pages
