#include "devices/gpu/bar1.hpp"

#include <gtest/gtest.h>

namespace peerpath::gpu {
namespace {

using namespace literals;
using namespace std::chrono_literals;

device::GpuConfig board() {
  device::GpuConfig config;
  config.memory = 16_GiB;
  config.bar_size = 256_MiB;
  config.bar1 = {.page = 64_KiB, .reserved = 32_MiB, .map_call = 10us, .map_page = 1us, .unmap_call = 5us};
  return config;
}

TEST(Bar1, IsHandedOutInPagesUntilItIsFull) {
  Bar1 window{board()};
  EXPECT_EQ(window.left(), 224_MiB);
  EXPECT_EQ(window.map(1_B), 0_B);
  EXPECT_EQ(window.map(65_KiB), 64_KiB);
  EXPECT_EQ(window.map(1_MiB), 192_KiB);
  EXPECT_EQ(window.used(), 32_MiB + 1_MiB + 192_KiB);
  EXPECT_EQ(window.map(223_MiB), std::nullopt);
  EXPECT_EQ(window.left(), 223_MiB - 192_KiB);  // what was refused took nothing
  EXPECT_TRUE(window.map(223_MiB - 192_KiB));
  EXPECT_EQ(window.left(), 0_B);
  EXPECT_EQ(window.map(1_B), std::nullopt);
}

TEST(Bar1, ARemappingIsOneUnmappingOneMappingAndItsPagesOneAfterTheOther) {
  Bar1 window{board()};
  EXPECT_EQ(window.remap(1_MiB, Instant{100us}), Instant{100us + 5us + 10us + 16us});
  EXPECT_EQ(window.remap(64_KiB, Instant{110us}), Instant{131us + 16us});  // the driver was busy
  EXPECT_EQ(window.counters().remaps, 2);
  EXPECT_EQ(window.counters().busy, Duration{47us});
  EXPECT_EQ(window.busy_until(Instant{131us}), Duration{31us}) << "the second one waits";
  EXPECT_EQ(window.busy_until(Instant{141us}), Duration{41us});
  EXPECT_EQ(window.counters().waiting, Duration{31us + 37us});
}

// A source that plans transfers ahead of their time asks for pieces that it needs later.
TEST(Bar1, ARemappingThatIsPlannedAheadKeepsTheDriverBusyOnlyWhenItsTimeHasCome) {
  Bar1 window{board()};
  window.remap(1_MiB, Instant{100us});
  EXPECT_EQ(window.remap(64_KiB, Instant{1000us}), Instant{1016us});
  EXPECT_EQ(window.busy_until(Instant{50us}), 0us);
  EXPECT_EQ(window.busy_until(Instant{110us}), 10us);
  EXPECT_EQ(window.busy_until(Instant{500us}), 31us);
  EXPECT_EQ(window.busy_until(Instant{1010us}), 41us);
  EXPECT_EQ(window.busy_until(Instant{2000us}), 47us);
}

/// Four pieces of 1 MiB, two of them in the window at 16 MiB.
struct Pieces {
  Bar1 window{board()};
  Bar1Pieces pieces{window, 1_MiB, 4_MiB, 16_MiB, 2_MiB};
};

TEST(Bar1Pieces, TheLastAreMappedAtTheStart) {
  Pieces p;
  const auto place = p.pieces.take(2_MiB + 4_KiB, Instant{1us});
  EXPECT_EQ(place.offset, 16_MiB + 4_KiB);
  EXPECT_EQ(place.ready, Instant{1us});
  EXPECT_EQ(p.pieces.take(3_MiB, Instant{1us}).offset, 17_MiB);
  EXPECT_EQ(p.window.counters().remaps, 0);
}

TEST(Bar1Pieces, OneThatIsNotMappedTakesThePlaceOfTheOneUsedLongestAgo) {
  Pieces p;
  p.pieces.take(2_MiB, Instant{1us});
  p.pieces.release(2_MiB);  // so piece 3 is the one that was used longest ago
  const auto place = p.pieces.take(0_B, Instant{2us});
  EXPECT_EQ(place.offset, 17_MiB);
  EXPECT_EQ(place.ready, Instant{2us + 31us});
  // A second transfer waits for the same mapping.
  EXPECT_EQ(p.pieces.take(4_KiB, Instant{3us}).ready, Instant{33us});
  EXPECT_EQ(p.window.counters().remaps, 1);
  EXPECT_EQ(p.window.counters().waiting, Duration{31us});
}

TEST(Bar1Pieces, WithTransfersInFlightStay) {
  Pieces p;
  p.pieces.take(2_MiB, Instant{1us});
  p.pieces.take(3_MiB, Instant{1us});
  p.pieces.take(3_MiB + 4_KiB, Instant{1us});
  EXPECT_FALSE(p.pieces.available(0_B));
  EXPECT_TRUE(p.pieces.available(2_MiB + 8_KiB));
  p.pieces.release(3_MiB);
  EXPECT_FALSE(p.pieces.available(0_B));
  p.pieces.release(3_MiB + 4_KiB);
  ASSERT_TRUE(p.pieces.available(0_B));
  EXPECT_EQ(p.pieces.take(0_B, Instant{9us}).offset, 17_MiB);
}

}  // namespace
}  // namespace peerpath::gpu
