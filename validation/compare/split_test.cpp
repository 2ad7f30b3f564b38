#include "validation/compare/split.hpp"

#include <gmock/gmock.h>

namespace peerpath::compare {
namespace {

Dataset copies_of(std::int64_t gpus) {
  Dataset dataset;
  for (std::int64_t n = 1; n <= gpus; ++n)
    for (std::int64_t ways = 1; ways <= 3; ++ways) {
      Point point;
      point.number = static_cast<int>(dataset.points.size()) + 1;
      point.experiment = together;
      point.settings = {{"gpus", n}, {"ways", ways}};
      dataset.points.push_back(point);
    }
  return dataset;
}

std::vector<int> numbers(const std::vector<Point>& points) {
  std::vector<int> all;
  for (const auto& point : points) all.push_back(point.number);
  return all;
}

TEST(Split, OfOneGpuTakesEveryThird) { EXPECT_THAT(numbers(fitted_points(copies_of(1))), testing::ElementsAre(3)); }

// 1, 2 and 4 GPUs, three ways each: four of these nine, none of three GPUs.
TEST(Split, OfFourGpusTakesAllFourAndBothWaysOfTwo) {
  EXPECT_THAT(numbers(fitted_points(copies_of(4))), testing::UnorderedElementsAre(6, 10, 11, 12));
}

TEST(Split, CurvesSayTheSame) {
  for (const auto& curve : curves_of(copies_of(4))) ASSERT_EQ(curve.fitted.size(), curve.points.size());
}

}  // namespace
}  // namespace peerpath::compare
