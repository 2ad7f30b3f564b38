#include "analytic/bounds.hpp"

#include <gtest/gtest.h>

namespace peerpath::analytic {
namespace {

using namespace literals;
using namespace std::chrono_literals;

TEST(Bounds, TagsTimesSizePerRoundTrip) {
  EXPECT_EQ(read_rate_bound(32, 64_B, 512ns).bps(), 32'000'000'000);
  EXPECT_EQ(read_rate_bound(256, 512_B, 1us).bps(), 1'048'576'000'000);
}

TEST(Bounds, TagsNeededAreThoseThatReachTheRate) {
  for (const auto rate : {10_Gbps, 100_Gbps, 200_Gbps, 400_Gbps})
    for (const auto round_trip : {Duration{500ns}, Duration{777ns}, Duration{2us}}) {
      const int tags = tags_needed(rate, 256_B, round_trip);
      EXPECT_GE(read_rate_bound(tags, 256_B, round_trip), rate);
      EXPECT_LT(read_rate_bound(tags - 1, 256_B, round_trip), rate);
    }
}

TEST(Bounds, CreditLaw) { EXPECT_EQ(credit_rate_bound(92, 300ns).bps(), 157'013'333'333); }

}  // namespace
}  // namespace peerpath::analytic
