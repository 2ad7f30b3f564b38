#include "analytic/replay.hpp"

#include <gtest/gtest.h>

namespace peerpath::analytic {
namespace {

TEST(Replay, RareErrorsHitInProportionToTheBits) {
  EXPECT_NEAR(replays_per_tlp(2240, 1e12), 2.24e-9, 1e-17);
  EXPECT_NEAR(replays_per_tlp(2240, 1e8), 2240e-8 * (1 + 1120e-8), 1e-12);
}

TEST(Replay, OneErrorATlpOnAverage) { EXPECT_NEAR(replays_per_tlp(100, 100), 1.718281828459045, 1e-14); }

TEST(Replay, GoodputIsWhatTheLineHasLeft) {
  EXPECT_DOUBLE_EQ(goodput_share(0, 10, 100), 1.0);
  EXPECT_DOUBLE_EQ(goodput_share(1, 10, 10), 1.0 / 3);
}

}  // namespace
}  // namespace peerpath::analytic
