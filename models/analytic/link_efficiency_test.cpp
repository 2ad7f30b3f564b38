#include "analytic/link_efficiency.hpp"

#include <gtest/gtest.h>

namespace peerpath::analytic {
namespace {

using namespace literals;
using pcie::DllpAccounting;

double gbps(BitRate rate) { return static_cast<double>(rate.bps()) / 1e9; }

// Computed with the published code for transfers of 4096 B: write, read, read and write.
TEST(PublishedForm, GivesTheNumbersOfThePublishedCode) {
  struct Row {
    LinkUse use;
    double write, read, both;
  };
  constexpr auto published = DllpAccounting::published;
  for (const auto& row : {Row{{{3, 8}, 256_B, 512_B, published}, 52.92, 53.69, 50.75},
                          Row{{{3, 8}, 128_B, 512_B, published}, 47.72, 49.01, 45.91},
                          Row{{{4, 16}, 128_B, 512_B, published}, 188.13, 193.21, 180.98},
                          Row{{{4, 16}, 256_B, 512_B, published}, 207.91, 210.92, 199.36},
                          Row{{{4, 16}, 256_B, 4096_B, published}, 207.91, 210.92, 206.8},
                          Row{{{4, 16}, 512_B, 4096_B, published}, 218.98, 220.63, 217.76},
                          Row{{{5, 16}, 256_B, 512_B, published}, 415.82, 421.84, 398.73}}) {
    EXPECT_NEAR(gbps(write_rate(row.use)), row.write, 0.001 * row.write);
    EXPECT_NEAR(gbps(read_rate(row.use)), row.read, 0.001 * row.read);
    EXPECT_NEAR(gbps(read_write_rate(row.use)), row.both, 0.001 * row.both);
  }
}

TEST(CountedForm, OneWayWritesKeepTheirDirectionToThemselves) {
  EXPECT_NEAR(gbps(write_rate({{4, 16}, 128_B})), 211.7, 0.1);
  EXPECT_NEAR(gbps(write_rate({{4, 16}, 256_B})), 229.9, 0.1);
  EXPECT_NEAR(gbps(write_rate({{4, 16}, 512_B})), 240.2, 0.1);
}

TEST(CountedForm, MaxPayload128Carries200GbpsOneWayButNotWithSmallReadsBesideIt) {
  const LinkUse use{{4, 16}, 128_B, 128_B};
  EXPECT_GT(write_rate(use), 200_Gbps);
  EXPECT_LT(read_write_rate(use), 200_Gbps);
}

TEST(CountedForm, ReadsLoseOnlyTheDllpsOfTheirRequests) {
  const LinkUse small{{3, 8}, 256_B, 128_B}, large{{3, 8}, 256_B, 4096_B};
  EXPECT_GT(read_rate(large), read_rate(small));
  const LinkUse none{{3, 8}, 256_B, 4096_B, DllpAccounting::none};
  EXPECT_GT(read_rate(none), read_rate(large));
  EXPECT_LT(gbps(read_rate(none)), 1.02 * gbps(read_rate(large)));
}

TEST(CountedForm, LinkShareScalesEverything) {
  LinkUse use{{5, 16}, 256_B, 512_B, DllpAccounting::none};
  const auto whole = gbps(read_write_rate(use));
  use.link_share = 0.9;
  EXPECT_NEAR(gbps(read_write_rate(use)), 0.9 * whole, 1e-6);
}

}  // namespace
}  // namespace peerpath::analytic
