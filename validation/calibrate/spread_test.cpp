#include "validation/calibrate/spread.hpp"

#include <gmock/gmock.h>

#include "validation/calibrate/assess.hpp"

namespace peerpath::calibrate {
namespace {

/// Three copies, the last of which a fit may see, and reads beside copies, that no law predicts.
compare::Dataset take(double copy_ns, double beside_ns) {
  compare::Dataset dataset;
  for (const std::int64_t bytes : {64, 128, 256})
    dataset.points.push_back({1, "copy_to_device", {{"bytes", bytes}}, copy_ns, copy_ns, copy_ns, bytes});
  dataset.points.push_back({4, "read_beside_copy_to", {{"outstanding", 8}}, beside_ns, beside_ns, beside_ns, 1024});
  dataset.points.push_back({5, "doorbell", {{"count", 1}}, beside_ns, beside_ns, beside_ns, 0});
  return dataset;
}

TEST(Spread, IsOfPointsThatAllTakesHave) {
  auto fewer = take(104, 1500), other = take(102, 1200);
  fewer.points.erase(fewer.points.begin() + 3);
  other.points.front().settings = {{"bytes", 32}};
  fewer.file = "x/fewer.jsonl";
  const auto spread = spread_of(std::vector{take(100, 1000), fewer, other});
  ASSERT_EQ(spread.rows.size(), 3u);  // two copies and the doorbell
  EXPECT_EQ(spread.not_in_all, 3u);   // reads, and copies of 32 and 64 B
  EXPECT_EQ(spread.files[1], "fewer.jsonl");
  EXPECT_THAT(spread.rows.front().medians, testing::ElementsAre(100, 104, 102));
  const auto score = score_of(spread.rows);
  EXPECT_NEAR(score.median, 0.04, 1e-12);
  EXPECT_NEAR(score.worst, 0.5, 1e-12);
  EXPECT_THAT(to_text(spread), testing::HasSubstr("3 points are not in all of them"));
}

TEST(Spread, OfNothingInCommonIsEmpty) {
  const auto spread = spread_of(std::vector{take(100, 1000), compare::Dataset{}});
  EXPECT_TRUE(spread.rows.empty());
  EXPECT_EQ(spread.not_in_all, 5u);
  EXPECT_EQ(score_of(spread.rows).points, 0u);
  EXPECT_FALSE(to_text(spread).empty());
}

TEST(Spread, TellsWhatAFitSeesFromWhatScenariosAlonePredict) {
  const auto spread = spread_of(std::vector{take(100, 1000), take(104, 1500), take(102, 1200)});
  const auto fitted = spread.rows_told_by(ToldBy::fit), mixed = spread.rows_told_by(ToldBy::scenario);
  ASSERT_EQ(fitted.size(), 1u);
  EXPECT_NEAR(fitted.front().spread(), 0.04, 1e-12);
  ASSERT_EQ(mixed.size(), 1u);
  EXPECT_EQ(mixed.front().place, "read_beside_copy_to, outstanding 8");
  EXPECT_NEAR(mixed.front().spread(), 0.5, 1e-12);
}

// 1200 ns are 20 % above the one and 20 % below the other; no number does better.
TEST(Spread, LeavesToOneNumberForAllTakesHalfOfTheirDifference) {
  const auto spread = spread_of(std::vector{take(100, 1000), take(104, 1500)});
  const auto mixed = spread.rows_told_by(ToldBy::scenario).front();
  EXPECT_NEAR(mixed.least_error(), 0.2, 1e-12);
  EXPECT_NEAR(mixed.least_error(0.25), 0.2 / 2.2, 1e-12);
  EXPECT_DOUBLE_EQ(mixed.least_error(0.6), 0);
  EXPECT_THAT(to_text(spread),
              testing::HasSubstr("read_beside_copy_to, outstanding 8: 1000 to 1500 ns: 20.0 %, 18.1 %"));
  EXPECT_THAT(to_text(spread_of(std::vector{take(100, 1000), take(104, 1200)})),
              testing::HasSubstr("can be within 15 % of the mixed points everywhere"));
}

TEST(Spread, MixedPointsCountWhereAllTakesLieTogether) {
  Assessment assessment;
  assessment.mixed = {{"read_beside_copy_to", "outstanding", "", {{8, 1000}}}, {"a", "outstanding", "", {{8, 1}}}};
  assessment.mixed.front().rows.front().scenario = 1400;
  const std::vector near{take(1, 1050), take(1, 950)}, far{take(1, 1100), take(1, 1160)};
  auto sound = assessment;
  add_takes(sound, near);
  EXPECT_EQ(sound.scenario.repeated, 1u);
  EXPECT_NEAR(sound.scenario.repeated_worst, 0.4, 1e-12);
  EXPECT_FALSE(sound.scenario.passed());
  add_takes(assessment, far);
  EXPECT_EQ(assessment.scenario.repeated, 0u);
  EXPECT_THAT(assessment.scenario.unrepeated, testing::ElementsAre("read_beside_copy_to, outstanding 8"));
  EXPECT_TRUE(assessment.scenario.passed());
}

}  // namespace
}  // namespace peerpath::calibrate
