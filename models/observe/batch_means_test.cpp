#include "observe/batch_means.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "peerpath/base/random.hpp"

namespace peerpath::observe {
namespace {

using Series = std::vector<std::int64_t>;

/// Sums of eight draws from 0..999: about normal, mean 3996.
std::int64_t draw(Random& random) {
  std::int64_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += static_cast<std::int64_t>(random.below(1000));
  return sum;
}

TEST(BatchMeans, OfEqualValuesAreExact) {
  const auto means = batch_means(Series(32, 1'000'000'000'000));
  EXPECT_EQ(means.mean, 1'000'000'000'000);
  EXPECT_EQ(means.half_width, 0);
  EXPECT_EQ(means.spread, 0);
  EXPECT_TRUE(means.independent);
}

TEST(BatchMeans, HaveTheIntervalOfStudentsT) {
  const Series values{12, 9, 11, 8, 13, 10, 7, 10};  // mean 10, variance 4, so 2.3646 * sqrt(4 / 8) = 1.672
  EXPECT_EQ(batch_means(values).mean, 10);
  EXPECT_EQ(batch_means(values).half_width, 2);
  Series finer = values;
  for (auto& value : finer) value *= 1'000'000;
  EXPECT_NEAR(static_cast<double>(batch_means(finer).half_width), 1'672'024, 200);
}

TEST(BatchMeans, CoverTheMeanOfIndependentValuesNineteenTimesOfTwenty) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random{seed, "covers"};
    Series values(32);
    for (auto& value : values) value = draw(random) * 1000;
    const auto means = batch_means(values);
    covered += std::abs(means.mean - 3'996'000) <= means.half_width ? 1 : 0;
  }
  EXPECT_GE(covered, 925);
  EXPECT_LE(covered, 975);
}

TEST(BatchMeans, OfCorrelatedValuesAreMergedAndWider) {
  Random random{1, "walks"};
  Series values;
  std::int64_t level = 0;
  for (int i = 0; i < 32; ++i) {
    level = level * 3 / 4 + draw(random) - 3996;
    values.push_back(100'000 + level);
  }
  Series mixed = values;  // the same values, no neighbour where it was
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = values[i * 13 % 32];
  EXPECT_LT(batch_means(values).batches, 32u);
  EXPECT_GT(batch_means(values).half_width, batch_means(mixed).half_width);
}

TEST(BatchMeans, KnowADriftForOne) {
  Series values;
  for (int i = 0; i < 32; ++i) values.push_back(1'000'000 + i * 1000);
  const auto means = batch_means(values);
  EXPECT_FALSE(means.independent);
  EXPECT_GE(means.half_width, means.spread);
  EXPECT_EQ(means.second_half - means.first_half, 16'000);
}

TEST(Growth, IsThatOfALine) {
  Series values;
  for (int i = 0; i < 32; ++i) values.push_back(5'000'000 - i * 1000);
  EXPECT_EQ(growth(values), -32'000);
}

TEST(Growth, StandsOutOfNoise) {
  Random random{3, "grows"};
  Series values;
  for (int i = 0; i < 32; ++i) values.push_back(draw(random) + i * 200);  // scatters by 816
  EXPECT_NEAR(static_cast<double>(growth(values)), 6400, 1600);
}

TEST(Growth, OfIndependentValuesIsRarelySeen) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random{seed, "stays"};
    Series values(32);
    for (auto& value : values) value = draw(random);
    seen += growth(values) != 0 ? 1 : 0;
  }
  EXPECT_LE(seen, 14);
}

/// `apart`: of the mean of the first series, in standard deviations.
std::vector<Series> four_series(std::uint64_t seed, double apart) {
  Random random{seed, "mixes"};
  std::vector<Series> all(4, Series(32));
  for (auto& series : all)
    for (auto& value : series) value = draw(random);
  for (auto& value : all.front()) value += static_cast<std::int64_t>(apart * 816);
  return all;
}

TEST(Mixed, AreSeriesOfOneMean) {
  int mixed_ones = 0, apart = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    mixed_ones += mixed(four_series(seed, 0)) ? 1 : 0;
    apart += mixed(four_series(seed, 2)) ? 0 : 1;
  }
  EXPECT_GE(mixed_ones, 195);
  EXPECT_EQ(apart, 200);
}

TEST(Mixed, HaveTheScaleReductionOfGelmanAndRubin) {
  // Variances within 2 and 2; means 2 and 2 + d, so b = d^2 / 2: with d = 1, 2/3 + 0.5 / 1; with d = 2, 2/3 + 2 / 1.
  EXPECT_TRUE(mixed(std::vector<Series>{{1, 2, 3}, {2, 3, 4}}));
  EXPECT_FALSE(mixed(std::vector<Series>{{1, 2, 3}, {3, 4, 5}}));
}

TEST(Mixed, AreEqualConstantsAndNoOthers) {
  EXPECT_TRUE(mixed(std::vector<Series>{Series(32, 7), Series(32, 7)}));
  EXPECT_FALSE(mixed(std::vector<Series>{Series(32, 7'000'000'000), Series(32, 9'000'000'000)}));
}

TEST(Truncation, LeavesOutWhatRises) {
  Random random{7, "noise"};
  Series values;
  for (int i = 0; i < 64; ++i) values.push_back(1'000'000 + draw(random) - (i < 12 ? 40'000 * (12 - i) : 0));
  EXPECT_GE(truncation(values), 10u);
  EXPECT_LE(truncation(values), 16u);
}

TEST(Truncation, OfAnEndlessRiseIsHalf) {
  Series values;
  for (int i = 0; i < 64; ++i) values.push_back(i * 1000);
  EXPECT_EQ(truncation(values), 32u);
}

TEST(Truncation, OfEqualValuesIsNothing) { EXPECT_EQ(truncation(Series(64, 5)), 0u); }

}  // namespace
}  // namespace peerpath::observe
