#include "validation/calibrate/takes.hpp"

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

TEST(Takes, AreOfWhatAFitSeesAndOfWhatScenariosAlonePredict) {
  const std::vector sets{take(100, 1000), take(104, 1500), take(102, 1200)};
  const auto takes = takes_of(sets);
  ASSERT_EQ(takes.told.size(), 1u);
  EXPECT_NEAR(takes.told.front().spread(), 0.04, 1e-12);
  ASSERT_EQ(takes.mixed.size(), 1u);
  EXPECT_EQ(takes.mixed.front().place, "read_beside_copy_to, outstanding 8");
  EXPECT_NEAR(takes.mixed.front().spread(), 0.5, 1e-12);
}

// 1200 ns are 20 % above the one and 20 % below the other; no number does better.
TEST(Takes, OneNumberForAllIsOffByHalfOfTheirDifference) {
  const auto takes = takes_of(std::vector{take(100, 1000), take(104, 1500)});
  EXPECT_NEAR(takes.mixed.front().least_error(), 0.2, 1e-12);
  EXPECT_NEAR(takes.mixed.front().least_error(0.25), 0.2 / 2.2, 1e-12);
  EXPECT_DOUBLE_EQ(takes.mixed.front().least_error(0.6), 0);
  EXPECT_THAT(to_text(takes),
              testing::HasSubstr("read_beside_copy_to, outstanding 8: 1000 to 1500 ns: 20.0 %, 18.1 %"));
  EXPECT_THAT(to_text(takes_of(std::vector{take(100, 1000), take(104, 1200)})),
              testing::HasSubstr("can be within 15 % everywhere"));
}

TEST(Takes, LeavesOutWhatOneOfThemLacks) {
  auto fewer = take(100, 1000);
  fewer.points.erase(fewer.points.begin() + 3);
  EXPECT_TRUE(takes_of(std::vector{take(100, 1000), fewer}).mixed.empty());
}

TEST(Takes, MixedPointsCountWhereAllTakesLieTogether) {
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
