#include "peerpath/observe/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "peerpath/base/random.hpp"

namespace peerpath::observe {
namespace {

TEST(Histogram, EveryValueLiesInItsBinAndBinsAreNarrow) {
  Random random{1, "histogram"};
  for (int i = 0; i < 100'000; ++i) {
    const auto value = random.next() >> (1 + random.below(63));
    const auto bin = Histogram::bin_of(value);
    ASSERT_LT(bin, Histogram::bins);
    const auto lower = Histogram::lower_bound(bin);
    const auto upper = Histogram::lower_bound(bin + 1);
    ASSERT_LE(lower, value);
    ASSERT_GT(upper, value);
    ASSERT_LE(upper - lower, 1 + lower / 32);
  }
}

TEST(Histogram, BinsAreContiguous) {
  for (std::size_t bin = 0; bin + 1 < Histogram::bins; ++bin) {
    ASSERT_EQ(Histogram::bin_of(Histogram::lower_bound(bin + 1) - 1), bin);
    ASSERT_EQ(Histogram::bin_of(Histogram::lower_bound(bin + 1)), bin + 1);
  }
}

TEST(Histogram, EmptyIsZero) {
  const Histogram empty;
  EXPECT_EQ(empty.quantile(500'000), Duration{0});
  EXPECT_EQ(empty.mean(), Duration{0});
}

TEST(Histogram, OneSampleIsEveryQuantile) {
  Histogram histogram;
  histogram.record(Duration{123'456'789});
  for (const int ppm : {0, 1, 500'000, 999'000, 1'000'000}) EXPECT_EQ(histogram.quantile(ppm), Duration{123'456'789});
}

TEST(Histogram, QuantilesAreWithinABinOfTheSortedSamples) {
  Random random{7, "samples"};
  Histogram histogram;
  std::vector<std::int64_t> samples;
  for (int i = 0; i < 50'000; ++i) {
    const auto value = static_cast<std::int64_t>(500'000'000 + random.below(3'000'000'000));
    samples.push_back(value);
    histogram.record(Duration{value});
  }
  std::ranges::sort(samples);
  for (const std::size_t ppm : {500'000u, 900'000u, 990'000u, 999'000u}) {
    const auto exact = samples[samples.size() * ppm / 1'000'000 - 1];
    EXPECT_NEAR(static_cast<double>(histogram.quantile(static_cast<std::int64_t>(ppm)).count()),
                static_cast<double>(exact), static_cast<double>(exact) / 32);
  }
  EXPECT_EQ(histogram.least().count(), samples.front());
  EXPECT_EQ(histogram.largest().count(), samples.back());
  EXPECT_EQ(histogram.quantile(1'000'000).count(), samples.back());
}

TEST(Histogram, MergeEqualsRecordingBoth) {
  Histogram a, b, both;
  for (int i = 1; i < 1000; ++i) {
    auto& one = i % 3 == 0 ? a : b;
    one.record(Duration{i * 1'000'003});
    both.record(Duration{i * 1'000'003});
  }
  a.merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.mean(), both.mean());
  EXPECT_EQ(a.least(), both.least());
  EXPECT_EQ(a.largest(), both.largest());
  EXPECT_EQ(a.quantile(990'000), both.quantile(990'000));
}

}  // namespace
}  // namespace peerpath::observe
