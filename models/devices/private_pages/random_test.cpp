#include <gtest/gtest.h>

#include "devices/private_pages/test_world.hpp"

namespace peerpath::private_pages {
namespace {

constexpr int sequences = 10'000, steps = 120;

/// Faults, invalidations, evictions, touches of the GPU and DMA in any order: each byte is there, once.
TEST(PrivatePagesRandom, NoByteIsLostOrWrittenTwice) {
  TableCounters all;
  int completed = 0, drained_late = 0;
  for (std::uint64_t seed = 0; seed < sequences; ++seed) {
    World world{seed, Flaw::none};
    ASSERT_TRUE(world.play(steps)) << "seed " << seed << " hangs";
    ASSERT_EQ(world.verdict(), Verdict{}) << "seed " << seed;
    ASSERT_TRUE(world.bytes_are_right()) << "seed " << seed;
    completed += world.completed();
    drained_late += world.drained_late();
    all += world.counters();
  }
  // What the sequences are for has happened in many of them.
  for (const auto count : {all.to_host, all.to_vram, all.aliases, all.displaced, all.full, all.unreachable, all.refused,
                           std::int64_t{completed}, std::int64_t{drained_late}})
    EXPECT_GT(count, 1000);
}

/// The digests say the same as bytes do, of sound parts and of parts with a flaw.
class PlantedFlaw : public testing::TestWithParam<Flaw> {};

TEST_P(PlantedFlaw, IsFoundByContent) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    World world{seed, GetParam()};
    world.play(steps);
    const bool right = world.verdict() == Verdict{};
    EXPECT_EQ(right, world.bytes_are_right()) << "seed " << seed;
    found += right ? 0 : 1;
  }
  EXPECT_GT(found, 50);
}

INSTANTIATE_TEST_SUITE_P(PrivatePages, PlantedFlaw, testing::Values(Flaw::no_drain, Flaw::repeats, Flaw::forgets_copy));

}  // namespace
}  // namespace peerpath::private_pages
