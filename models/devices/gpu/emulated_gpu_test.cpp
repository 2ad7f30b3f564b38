#include "devices/gpu/emulated_gpu.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "devices/gpu/test_dma.hpp"
#include "peerpath/base/byte_order.hpp"

namespace peerpath::gpu {
namespace {

constexpr std::uint64_t ring = 0x1000, completions = 0x8000, outside = 0xffff'ffff'ffff'ff00;
constexpr std::uint32_t entries = 16;

class CopyEngines : public testing::Test {
 protected:
  void SetUp() override {
    gpu.write(page::engine, 8, ring);
    gpu.write(page::engine + 8, 4, entries);
    std::iota(host.bytes.begin() + 0x10000, host.bytes.begin() + 0x20000, std::uint8_t{3});
  }
  /// Posts one copy and lets it run; returns the status that the completion has, or 99.
  std::uint32_t copy(std::uint64_t source, std::uint64_t destination, std::uint32_t length, std::uint32_t flags) {
    const std::uint64_t at = ring + posted_ % entries * 32;
    store_le(host.bytes, at, 8, source);
    store_le(host.bytes, at + 8, 8, destination);
    store_le(host.bytes, at + 16, 4, length);
    store_le(host.bytes, at + 20, 4, flags | 4);
    store_le(host.bytes, at + 24, 8, completions);
    store_le(host.bytes, completions, 8, std::uint64_t{99} << 32);
    gpu.write(page::doorbell, 4, ++posted_);
    EXPECT_TRUE(gpu.wants_run());
    gpu.run();
    EXPECT_FALSE(gpu.wants_run());
    if (load_le(host.bytes, completions + 4, 4) != 99) {
      EXPECT_EQ(load_le(host.bytes, completions, 4), posted_);
    }
    return static_cast<std::uint32_t>(load_le(host.bytes, completions + 4, 4));
  }

  std::vector<std::uint8_t> vram = std::vector<std::uint8_t>(1 << 20);
  ArrayDma host{1 << 20};
  EmulatedGpu gpu{vram, 1, host};

 private:
  std::uint32_t posted_ = 0;
};

TEST_F(CopyEngines, RegistersSayWhatItIs) {
  EXPECT_EQ(gpu.read(0, 4), 0x55475050u);
  EXPECT_EQ(gpu.read(4, 4), 1u);
  EXPECT_EQ(gpu.read(8, 4), 1u);
  EXPECT_EQ(gpu.read(12, 4), 2u);
  EXPECT_EQ(gpu.read(16, 8), vram.size());
  EXPECT_EQ(gpu.read(page::engine, 8), ring);
  EXPECT_EQ(gpu.read(page::engine + 8, 4), entries);
  EXPECT_EQ(gpu.read(0x5000, 4), 0u);
}

TEST_F(CopyEngines, CopyInAllFourDirections) {
  const auto from = host.bytes.begin() + 0x10000;
  EXPECT_EQ(copy(0x10000, 0x100, 5000, 1), 0u);
  EXPECT_TRUE(std::equal(from, from + 5000, vram.begin() + 0x100));
  EXPECT_EQ(copy(0x100, 0x9000, 5000, 0), 0u);
  EXPECT_TRUE(std::equal(from, from + 5000, vram.begin() + 0x9000));
  EXPECT_EQ(copy(0x9000, 0x40000, 5000, 2), 0u);
  EXPECT_TRUE(std::equal(from, from + 5000, host.bytes.begin() + 0x40000));
  EXPECT_EQ(copy(0x10000, 0x60000, 0x10000, 3), 0u);
  EXPECT_TRUE(std::equal(from, from + 0x10000, host.bytes.begin() + 0x60000));
  EXPECT_EQ(gpu.read(page::done, 8), 4u);
}

TEST_F(CopyEngines, RefuseWhatIsOutsideAndCountIt) {
  EXPECT_EQ(copy(vram.size() - 10, 0, 11, 2), 1u);
  EXPECT_EQ(copy(0, ~std::uint64_t{0}, 16, 1), 1u);
  EXPECT_EQ(copy(0, 0, 0, 0), 1u);
  EXPECT_EQ(copy(0, 0, (16 << 20) + 1, 3), 1u);
  EXPECT_EQ(copy(outside, 0, 0x1000, 1), 2u);
  EXPECT_EQ(copy(0, outside, 0x1000, 2), 2u);
  EXPECT_EQ(gpu.read(page::failed, 8), 6u);
}

TEST_F(CopyEngines, HostileDoorbellsAndRings) {
  gpu.write(page::doorbell, 4, entries + 1);
  gpu.write(page::doorbell + 4, 4, 1);
  gpu.write(page::doorbell + 400, 4, 1);
  EXPECT_EQ(gpu.bad_doorbells(), 3);
  EXPECT_FALSE(gpu.wants_run());
  for (const std::uint64_t n : {0u, 3u, 8192u, 0x80000000u}) gpu.write(page::engine + page::engine_stride + 8, 4, n);
  EXPECT_EQ(gpu.read(page::engine + page::engine_stride + 8, 4), 0u);
  gpu.write(page::engine, 8, outside);
  gpu.write(page::doorbell, 4, entries);
  gpu.run();
  EXPECT_EQ(gpu.failed(), entries);
  gpu.write(page::control, 4, 1);
  EXPECT_EQ(gpu.read(page::failed, 8), 0u);
}

TEST_F(CopyEngines, ALongQueueDoesNotHoldTheEmulatorUp) {
  host.bytes.resize(20 << 20);
  for (std::uint64_t i = 0; i < entries; ++i) {
    store_le(host.bytes, ring + i * 32 + 16, 4, 16 << 20);
    store_le(host.bytes, ring + i * 32 + 20, 4, 3);
  }
  gpu.write(page::doorbell, 4, entries);
  constexpr std::int64_t pieces = (16 << 20) / EmulatedGpu::piece;
  host.patience = 2 * pieces + 9;
  gpu.run();
  EXPECT_EQ(gpu.read(page::engine + 12, 4), 2u) << "and ten pieces of the third";
  EXPECT_TRUE(gpu.wants_run());
  host.patience = pieces;
  gpu.run();
  EXPECT_EQ(gpu.read(page::engine + 12, 4), 3u);
}

TEST_F(CopyEngines, ACopyInPiecesLosesNoByte) {
  for (std::size_t i = 0; i < 200'000; ++i) host.bytes[0x10000 + i] = static_cast<std::uint8_t>(i * 7 + i / 253);
  host.patience = 0;
  store_le(host.bytes, ring, 8, 0x10003);
  store_le(host.bytes, ring + 8, 8, 0x50001);
  store_le(host.bytes, ring + 16, 4, 200'000);
  store_le(host.bytes, ring + 20, 4, 3);
  gpu.write(page::doorbell, 4, 1);
  int runs = 0;
  for (; gpu.wants_run(); ++runs) gpu.run();
  EXPECT_EQ(runs, 4) << "it ends at 0x60000, 0x70000 and 0x80000";
  const auto from = host.bytes.begin() + 0x10003;
  EXPECT_TRUE(std::equal(from, from + 200'000, host.bytes.begin() + 0x50001));
}

TEST_F(CopyEngines, ARingThatIsEmptiedEndsTheCopyThatHasBegun) {
  host.patience = 0;
  store_le(host.bytes, ring + 16, 4, 1 << 20);
  store_le(host.bytes, ring + 20, 4, 1);
  gpu.write(page::doorbell, 4, 1);
  gpu.run();
  EXPECT_TRUE(gpu.wants_run());
  gpu.write(page::engine + 8, 4, entries);
  EXPECT_FALSE(gpu.wants_run());
  host.patience = 100;
  EXPECT_EQ(copy(0x10000, 0, 64, 1), 0u) << "not the rest of the other one";
  EXPECT_EQ(gpu.copies(), 1);
}

}  // namespace
}  // namespace peerpath::gpu
