#include "validation/compare/spread.hpp"

#include <gmock/gmock.h>

namespace peerpath::compare {
namespace {

Dataset copies(std::initializer_list<std::pair<std::int64_t, double>> points) {
  Dataset dataset;
  dataset.file = "x/d.jsonl";
  for (const auto& [bytes, ns] : points) {
    Point point;
    point.experiment = "copy";
    point.settings = {{"bytes", bytes}};
    point.median = ns;
    dataset.points.push_back(point);
  }
  return dataset;
}

TEST(Spread, IsOfPointsThatBothHave) {
  const auto spread = spread_of(copies({{64, 100}, {128, 200}, {256, 300}}), copies({{128, 220}, {64, 100}, {512, 1}}));
  ASSERT_EQ(spread.rows.size(), 2u);
  EXPECT_EQ(spread.only_in_one, 2u);
  EXPECT_DOUBLE_EQ(spread.rows[0].difference(), 0);
  EXPECT_NEAR(spread.rows[1].difference(), 0.1, 1e-12);
  const auto score = score_of(spread.rows);
  EXPECT_NEAR(score.worst, 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(score.median, 0);
  EXPECT_THAT(to_text(spread), testing::HasSubstr("2 points are in one of the two only"));
}

TEST(Spread, OfNothingInCommonIsEmpty) {
  auto other = copies({{64, 1}});
  other.points.front().experiment = "read";
  const auto spread = spread_of(copies({{64, 1}}), other);
  EXPECT_TRUE(spread.rows.empty());
  EXPECT_EQ(spread.only_in_one, 2u);
  EXPECT_EQ(score_of(spread.rows).points, 0u);
}

}  // namespace
}  // namespace peerpath::compare
