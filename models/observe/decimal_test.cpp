#include <gtest/gtest.h>

#include <limits>

#include "peerpath/observe/results.hpp"

namespace peerpath::observe {
namespace {

TEST(Decimal, PrintsWithoutTrailingZeros) {
  EXPECT_EQ(to_string(Decimal{195700, 3}), "195.7");
  EXPECT_EQ(to_string(Decimal{0, 6}), "0");
  EXPECT_EQ(to_string(Decimal{-1250, 3}), "-1.25");
  EXPECT_EQ(to_string(Decimal{5, 3}), "0.005");
  EXPECT_EQ(to_string(Decimal{1200, 0}), "1200");
  EXPECT_EQ(to_string(Decimal{1200, 2}), "12");
  EXPECT_EQ(to_string(Decimal{std::numeric_limits<std::int64_t>::min(), 0}), "-9223372036854775808");
}

TEST(Decimal, QuotientRoundsHalfUp) {
  EXPECT_EQ(quotient(1, 3, 3), (Decimal{333, 3}));
  EXPECT_EQ(quotient(2, 3, 3), (Decimal{667, 3}));
  EXPECT_EQ(quotient(1, 2, 0), (Decimal{1, 0}));
  EXPECT_EQ(quotient(-1, 3, 3), (Decimal{-333, 3}));
  EXPECT_EQ(quotient(1, 0, 3), (Decimal{0, 3}));
}

TEST(Decimal, QuotientHoldsMoreThanSixtyFourBits) {
  // 25 GB in 1 s in Gb/s: the numerator is beyond int64.
  const auto bits_fs = static_cast<WideInt>(25'000'000'000) * 8 * 1'000'000;
  EXPECT_EQ(quotient(bits_fs, 1'000'000'000'000'000, 6), (Decimal{200'000'000, 6}));
}

TEST(Decimal, ValueIsTheNearestDouble) {
  EXPECT_EQ((Decimal{1957, 1}.value()), 195.7);
  EXPECT_EQ((Decimal{-5, 0}.value()), -5.0);
}

}  // namespace
}  // namespace peerpath::observe
