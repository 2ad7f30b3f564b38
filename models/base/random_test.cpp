#include "peerpath/base/random.hpp"

#include <array>

#include <gtest/gtest.h>

namespace peerpath {
namespace {

TEST(Random, mix_is_the_published_splitmix64) {
  // First outputs of the reference generator for seed 0 (Vigna, prng.di.unimi.it/splitmix64.c).
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}

TEST(Random, same_seed_and_stream_give_the_same_numbers) {
  Random a{7, "nic0"};
  Random b{7, "nic0"};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Random, another_seed_or_stream_gives_others) {
  Random a{7, "nic0"};
  Random b{8, "nic0"};
  Random c{7, "nic1"};
  const auto first = a.next();
  EXPECT_NE(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Random, below_stays_below_and_is_about_uniform) {
  Random random{1, "dice"};
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) {
    const auto face = random.below(6);
    ASSERT_LT(face, 6u);
    ++seen[face];
  }
  for (const int n : seen) EXPECT_NEAR(n, 10'000, 400);  // 4.4 standard deviations
}

}  // namespace
}  // namespace peerpath
