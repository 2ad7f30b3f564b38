#include "core/host/last_level_cache.hpp"

#include <gtest/gtest.h>

namespace peerpath::host {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr device::CacheConfig small{.size = 64_KiB, .ways = 16, .ddio_ways = 2, .miss_latency = 50ns};
constexpr Duration miss = 50ns, hit = 0ns;

TEST(LastLevelCache, AReadMissesUntilACoreHasTouchedTheLine) {
  LastLevelCache cache{small};
  EXPECT_EQ(cache.read(0, 64_B), miss);
  EXPECT_EQ(cache.read(0, 64_B), miss) << "reads by devices fill nothing";
  cache.touch_by_core(0, 64_B);
  EXPECT_EQ(cache.read(0, 64_B), hit);
  EXPECT_EQ(cache.read(32, 64_B), miss) << "its second line is not there";
  EXPECT_EQ(cache.counters().read_hits, 2);
  EXPECT_EQ(cache.counters().read_misses, 3);
}

TEST(LastLevelCache, WhatADeviceHasWrittenItCanRead) {
  LastLevelCache cache{small};
  EXPECT_EQ(cache.write(0, 256_B).takes, miss);
  EXPECT_EQ(cache.write(0, 256_B).takes, hit);
  EXPECT_EQ(cache.read(0, 256_B), hit);
  EXPECT_EQ(cache.counters().write_misses, 4);
}

TEST(LastLevelCache, DevicesFillTheirWaysOnly) {
  LastLevelCache cache{small};
  const auto window = [&cache](Bytes size) {
    for (int round = 0; round < 2; ++round)
      for (std::int64_t at = 0; at < size.count(); at += 64) cache.write(static_cast<std::uint64_t>(at), 64_B);
    return cache.counters().write_hits;
  };
  EXPECT_EQ(window(8_KiB), 128) << "two of sixteen ways of 64 KiB";
  EXPECT_EQ(window(16_KiB) - 128, 128) << "the lines of the first window, once";
}

TEST(LastLevelCache, AWriteToALineThatACoreBroughtInHits) {
  LastLevelCache cache{small};
  cache.touch_by_core(0, 64_KiB);
  for (std::uint64_t at = 0; at < 64 << 10; at += 64) EXPECT_EQ(cache.write(at, 64_B).takes, hit);
}

TEST(LastLevelCache, WithoutWaysForThemWritesGoToDram) {
  auto config = small;
  config.ddio_ways = 0;
  LastLevelCache cache{config};
  EXPECT_EQ(cache.write(0, 64_B).takes, miss);
  EXPECT_EQ(cache.write(0, 64_B).takes, miss);
}

TEST(LastLevelCache, PartsOfLinesAreMergedAndFetchedBefore) {
  LastLevelCache cache{{.miss_latency = 50ns}};
  const auto first = cache.write(8, 8_B);
  EXPECT_TRUE(first.missed);
  EXPECT_EQ(first.takes, 15ns + 50ns + 15ns);
  const auto second = cache.write(60, 4_B);
  EXPECT_FALSE(second.missed);
  EXPECT_EQ(second.takes, 15ns);
}

}  // namespace
}  // namespace peerpath::host
