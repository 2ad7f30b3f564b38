#include "validation/experiments/recorder.hpp"

#include <gtest/gtest.h>

#include <array>

#include "validation/experiments/json_line.hpp"

namespace peerpath::experiments {
namespace {

TEST(Quantile, LiesBetweenSamples) {
  constexpr std::array<double, 4> sorted{1, 2, 3, 10};
  EXPECT_DOUBLE_EQ(quantile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(sorted, 1), 10);
}

TEST(JsonLine, QuotesWhatMustBe) {
  EXPECT_EQ(JsonLine{}.add("a", "x\"\\\n").add("b", 0.1).add("c", 7).add("d", true).text(),
            R"({"a":"x\"\\\u000a","b":0.1,"c":7,"d":true})");
}

}  // namespace
}  // namespace peerpath::experiments
