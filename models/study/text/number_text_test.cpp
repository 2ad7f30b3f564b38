#include "study/text/number_text.hpp"

#include <gtest/gtest.h>

namespace peerpath::study {
namespace {

using namespace literals;
using namespace std::chrono_literals;

TEST(NumberText, TimesHaveThreeDigits) {
  EXPECT_EQ(readable(Duration{812ns}), "812 ns");
  EXPECT_EQ(readable(Duration{1240ns}), "1.24 us");
  EXPECT_EQ(readable(Duration{12'400ns}), "12.4 us");
  EXPECT_EQ(readable(Duration{999'999ns}), "1000 us");
  EXPECT_EQ(readable(Duration{3ms}), "3.00 ms");
  EXPECT_EQ(readable(Duration{0}), "0 ns");
}

TEST(NumberText, SizesAndCounts) {
  EXPECT_EQ(readable(800_B), "800 B");
  EXPECT_EQ(readable(3'910'000_B), "3.91 MB");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'234'567), "1 234 567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(-1234), "-1 234");
}

TEST(NumberText, Rates) {
  EXPECT_EQ(gbps(25'000_B, 1us), "200.00");
  EXPECT_EQ(gbps(1_B, Duration{0}), "-");
}

}  // namespace
}  // namespace peerpath::study
