#include "devices/host_memory/shared_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace peerpath::host_memory {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// Devices that ask for 256 B as often as they are let, each way; returns the Gb/s of reads and of writes.
std::pair<double, double> played(const device::SharedConfig& config, int readers, int writers) {
  SharedLimit limit{config};
  constexpr int rounds = 200'000;  // the first two microseconds have no limit yet
  Bytes read{}, written{};
  Instant last{};
  // Each device has 64 KiB under way: the next request comes when the one so many before it has gone on.
  constexpr std::size_t window = 256;
  std::vector<std::vector<Instant>> gone(static_cast<std::size_t>(readers + writers), std::vector<Instant>(window));
  for (std::size_t round = 0; round < rounds; ++round)
    for (int device = 0; device < readers + writers; ++device) {
      auto& slot = gone[static_cast<std::size_t>(device)][round % window];
      const fabric::NodeId node{static_cast<std::uint16_t>(device)};
      const auto at = slot + 500ns;
      slot = device < readers ? limit.read(node, 0, 256_B, at) : limit.write(node, 0, 256_B, at);
      (device < readers ? read : written) += 256_B;
      last = std::max(last, slot);
    }
  const auto seconds = static_cast<double>(femtoseconds(last)) * 1e-15;
  return {static_cast<double>(read.count()) * 8e-9 / seconds, static_cast<double>(written.count()) * 8e-9 / seconds};
}

TEST(SharedLimit, GoesByTheNumberOfDevicesAtWork) {
  const device::SharedConfig config{.read_rates = {0_Gbps, 800_Gbps, 900_Gbps}};
  EXPECT_NEAR(played(config, 2, 0).first, 800, 8);
  EXPECT_NEAR(played(config, 3, 0).first, 900, 9);
  EXPECT_NEAR(played(config, 4, 0).first, 900, 9) << "the last one holds for any more";
  EXPECT_GT(played(config, 1, 0).first, 1000);
}

TEST(SharedLimit, ReadsAndWritesTogetherHaveHalfEach) {
  const device::SharedConfig config{.read_rates = {900_Gbps}, .write_rates = {700_Gbps}, .both_rates = {1000_Gbps}};
  EXPECT_NEAR(played(config, 1, 0).first, 900, 9);
  EXPECT_NEAR(played(config, 0, 1).second, 700, 7);
  const auto both = played(config, 1, 1);
  EXPECT_NEAR(both.first, 500, 10);
  EXPECT_NEAR(both.second, 500, 10);
}

TEST(SharedLimit, PairsThatReadAndWriteApartHaveRatesOfTheirOwn) {
  const device::SharedConfig config{.read_rates = {900_Gbps},
                                    .write_rates = {900_Gbps},
                                    .both_rates = {0_Gbps, 1000_Gbps},
                                    .opposite_rates = {0_Gbps, 1200_Gbps}};
  const auto apart = played(config, 2, 2);
  EXPECT_NEAR(apart.first, 600, 12);
  EXPECT_NEAR(apart.second, 600, 12);
}

TEST(SharedLimit, ADeviceThatDoesBothIsOne) {
  const device::SharedConfig config{
      .read_rates = {900_Gbps}, .write_rates = {900_Gbps}, .both_rates = {600_Gbps, 1000_Gbps}};
  SharedLimit limit{config};
  Instant at{}, wrote{};
  constexpr int rounds = 100'000;
  for (int n = 0; n < rounds; ++n) {
    at = limit.read(fabric::NodeId{1}, 0, 256_B, at);
    wrote = limit.write(fabric::NodeId{1}, 0, 256_B, at);
    at = std::max(at, wrote);
  }
  EXPECT_NEAR(256.0 * 8 * rounds / (static_cast<double>(femtoseconds(at)) * 1e-6), 300, 6);
}

TEST(SharedLimit, BesideOthersNobodyIsFasterThanAlone) {
  const device::SharedConfig config{.read_rates = {400_Gbps}, .write_rates = {400_Gbps}, .both_rates = {1000_Gbps}};
  const auto both = played(config, 1, 1);
  EXPECT_NEAR(both.first, 400, 8);
  EXPECT_NEAR(both.second, 400, 8);
}

TEST(SharedLimit, AFewWritesTakeLittleFromReads) {
  SharedLimit limit{{.read_rates = {900_Gbps}, .write_rates = {700_Gbps}, .both_rates = {1000_Gbps}}};
  Instant at{};
  for (int n = 0; n < 1000; ++n) {
    at = limit.read(fabric::NodeId{1}, 0, 2560_B, at);
    if (n % 100 == 0) limit.write(fabric::NodeId{2}, 0, 8_B, at);
  }
  EXPECT_LT(at, Instant{1000 * (2560_B / 890_Gbps)});
}

/// Gb/s of one device's reads behind `address` of a buffer of 1 MiB at 4 KiB, beside so many bytes written for each
/// read.
double beside_writes(std::uint64_t address, std::int64_t written, fabric::NodeId writer = fabric::NodeId{1}) {
  SharedLimit limit{{.beside_writes = {320_Gbps, 0_Gbps}, .cached = 64_KiB}};
  limit.add_buffer(4096, 1_MiB);
  Instant at{};
  constexpr int rounds = 100'000;
  for (int n = 0; n < rounds; ++n) {
    if (written > 0) limit.write(writer, 0, Bytes{written}, at);
    at = limit.read(fabric::NodeId{1}, address, 256_B, at + 256_B / 400_Gbps);
  }
  return 256.0 * 8 * rounds / (static_cast<double>(femtoseconds(at)) * 1e-6);
}

constexpr std::uint64_t start = 4096, uncached = start + (64 << 10), past_it = start + (1 << 20);

TEST(SharedLimit, WhatNoCacheHoldsIsReadSlowerBesideWrites) {
  EXPECT_NEAR(beside_writes(uncached, 256), 320, 3);
  EXPECT_NEAR(beside_writes(uncached, 2560), 320, 3) << "writes as many as they like";
  EXPECT_NEAR(beside_writes(uncached, 0), 400, 1);
  EXPECT_NEAR(beside_writes(uncached, 256, fabric::NodeId{2}), 400, 1) << "another device writes";
  EXPECT_NEAR(beside_writes(start, 256), 400, 1) << "the cache holds it";
  EXPECT_NEAR(beside_writes(uncached - 64, 256), 400, 1) << "the cache holds it";
  EXPECT_NEAR(beside_writes(past_it, 256), 400, 1) << "of no buffer";
  EXPECT_NEAR(beside_writes(uncached, 128), 400, 1) << "half of it beside writes: 640 Gb/s";
}

TEST(SharedLimit, BesideWritesGoesByTheNumberOfDevicesThatDoBoth) {
  SharedLimit limit{{.beside_writes = {320_Gbps, 0_Gbps}}};
  limit.add_buffer(0, 1_MiB);
  Instant at{};
  constexpr int rounds = 10'000;
  for (int n = 0; n < rounds; ++n) {
    for (const std::uint16_t node : {1, 2}) limit.write(fabric::NodeId{node}, 0, 256_B, at);
    at = std::max(limit.read(fabric::NodeId{1}, 0, 256_B, at), limit.read(fabric::NodeId{2}, 0, 256_B, at));
    at += 512_B / 400_Gbps;
  }
  EXPECT_NEAR(512.0 * 8 * rounds / (static_cast<double>(femtoseconds(at)) * 1e-6), 400, 2);
}

// Two devices, each of which reads a buffer of its own as fast as its link goes.
TEST(SharedLimit, WhatACacheHoldsAltogetherHasNoLimit) {
  const auto together = [](Bytes buffer, std::optional<Bytes> held = {}) {
    SharedLimit limit{{.read_rates = {800_Gbps, 500_Gbps}, .cached = 16_MiB, .cached_together = held}};
    for (const std::uint64_t n : {0, 1}) limit.add_buffer(n << 30, buffer);
    Instant at{};
    constexpr int rounds = 10'000;
    for (int n = 0; n < rounds; ++n) {
      const auto next = at + 512_B / 800_Gbps;
      at = std::max(limit.read(fabric::NodeId{1}, 0, 256_B, at), limit.read(fabric::NodeId{2}, 1 << 30, 256_B, at));
      at = std::max(at, next);
    }
    return 512.0 * 8 * rounds / (static_cast<double>(femtoseconds(at)) * 1e-6);
  };
  EXPECT_NEAR(together(8_MiB), 800, 4);
  EXPECT_NEAR(together(9_MiB), 500, 10) << "the first slices have the rate of one";
  EXPECT_NEAR(together(9_MiB, 18_MiB), 800, 4);
  EXPECT_NEAR(together(8_MiB, 15_MiB), 500, 10);
}

/// Gb/s of two devices with so many bytes under way each, whose reads take a microsecond where nothing waits.
double with_under_way(Bytes each) {
  SharedLimit limit{
      {.read_rates = {0_Gbps, 800_Gbps}, .read_limit = 800_Gbps, .read_sharpness = 2, .read_round_trip = 1us}};
  const auto window = static_cast<std::size_t>(each / 256_B);
  std::vector<Instant> there(2 * window);
  constexpr std::size_t rounds = 400'000;
  Instant middle{};
  for (std::size_t n = 0; n < rounds; ++n) {
    auto& slot = there[n % there.size()];
    slot = limit.read(fabric::NodeId{static_cast<std::uint16_t>(n % 2)}, 0, 256_B, slot) + 1us;
    if (n == rounds / 2) middle = slot;
  }
  const auto last = *std::ranges::max_element(there);
  return 256.0 * 8 * (rounds / 2) / (static_cast<double>(femtoseconds(last - middle)) * 1e-6);
}

// Bytes that would reach 400 and 800 Gb/s in a microsecond: 1 / rate^2 = 1 / that^2 + 1 / limit^2.
TEST(SharedLimit, ReadsOfSeveralWaitBeforeTheLimitIsReached) {
  EXPECT_NEAR(with_under_way(25'088_B), 359, 6);
  EXPECT_NEAR(with_under_way(49'920_B), 566, 10);
  EXPECT_NEAR(with_under_way(2'000'128_B), 800, 8) << "many more reach all of it";
}

TEST(SharedLimit, TheReadsOfOneHaveNoLimitOfSeveral) {
  SharedLimit limit{{.read_limit = 100_Gbps, .read_round_trip = 1us}};
  for (int n = 0; n < 10'000; ++n) {
    const Instant at{n * (256_B / 400_Gbps)};
    EXPECT_EQ(limit.read(fabric::NodeId{1}, 0, 256_B, at), at);
  }
}

TEST(SharedLimit, OneThatReadsAndOneThatWritesAreAsOneThatDoesBoth) {
  const device::SharedConfig config{.both_rates = {0_Gbps, 600_Gbps}};
  const auto one = played(config, 1, 1), two = played(config, 2, 2);
  EXPECT_GT(one.first + one.second, 1600);
  EXPECT_NEAR(two.first + two.second, 600, 12);
}

/// Gb/s at which a device reads 256 KiB that another has written, so many bytes of another buffer later.
double reads_after(Bytes others) {
  SharedLimit limit{{.read_rates = {400_Gbps}, .recent = 1_MiB}};
  limit.add_buffer(0, 256_KiB);
  limit.add_buffer(1 << 20, 64_MiB);
  constexpr std::uint64_t size = 256 << 10;
  for (std::uint64_t n = 0; n < size; n += 256) limit.write(fabric::NodeId{1}, n, 256_B, Instant{});
  limit.write(fabric::NodeId{1}, 1 << 20, others, Instant{});
  Instant at{};
  for (std::uint64_t n = 0; n < size; n += 256) at = limit.read(fabric::NodeId{2}, n, 256_B, at + 256_B / 4000_Gbps);
  return static_cast<double>(size) * 8 / (static_cast<double>(femtoseconds(at)) * 1e-6);
}

// A 64 KiB part counts as written when its last byte is.
TEST(SharedLimit, WhatWasJustWrittenIsReadFromACache) {
  EXPECT_GT(reads_after(0_B), 2 * reads_after(1_MiB));
  EXPECT_NEAR(reads_after(1_MiB), 400 / (1 - std::exp(-1.1)), 30);
  EXPECT_NEAR(reads_after(16_MiB), 400, 10);
}

TEST(SharedLimit, WithoutRatesNothingWaits) {
  SharedLimit limit{{}};
  for (int n = 0; n < 10; ++n) EXPECT_EQ(limit.read(fabric::NodeId{1}, 0, 4096_B, Instant{1us}), Instant{1us});
}

}  // namespace
}  // namespace peerpath::host_memory
