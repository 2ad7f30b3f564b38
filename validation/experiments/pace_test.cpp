#include "validation/experiments/pace.hpp"

#include <gtest/gtest.h>

namespace peerpath::experiments {
namespace {

constexpr double second = 1e9;

Experiment named(std::string_view name, int passes = 1) {
  Experiment experiment{name, "", nullptr, nullptr};
  experiment.passes = passes;
  return experiment;
}

TEST(Pace, WhatWasVisitedTellsTheRestOfItsKindAndOfOthers) {
  Pace pace{[](std::string_view) {}, 0};
  const auto quick = named("quick"), slow = named("slow", 3);
  pace.expect(quick, 10);
  pace.expect(slow, 2);
  const auto before = pace.left();
  pace.visited(quick, 0, 2 * second);
  EXPECT_GT(pace.left(), before) << "this machine is slower than the one that the start was estimated from";
  pace.visited(slow, 2 * second, 3 * second);
  EXPECT_DOUBLE_EQ(pace.left(), 9 * 2 + 5 * 1);
}

TEST(Pace, SaysHowFarItIsEveryFiveSeconds) {
  std::vector<std::string> said;
  Pace pace{[&](std::string_view line) { said.emplace_back(line); }, 0};
  const auto steady = named("steady");
  pace.expect(steady, 12);
  for (int n = 0; n < 12; ++n) pace.visited(steady, n * second, (n + 1) * second);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0], "5 s, about 7 s left; at steady");
  EXPECT_EQ(said[1], "10 s, about 2 s left; at steady");
}

}  // namespace
}  // namespace peerpath::experiments
