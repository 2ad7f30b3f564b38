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
    host.attach(gpu);
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
    EXPECT_TRUE(gpu.at_work());
    host.run();
    EXPECT_FALSE(gpu.at_work());
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
  EXPECT_FALSE(gpu.at_work());
  for (const std::uint64_t n : {0u, 3u, 8192u, 0x80000000u}) gpu.write(page::engine + page::engine_stride + 8, 4, n);
  EXPECT_EQ(gpu.read(page::engine + page::engine_stride + 8, 4), 0u);
  gpu.write(page::engine, 8, outside);
  gpu.write(page::doorbell, 4, entries);
  host.run();
  EXPECT_EQ(gpu.failed(), entries);
  gpu.write(page::control, 4, 1);
  EXPECT_EQ(gpu.read(page::failed, 8), 0u);
}

TEST_F(CopyEngines, ALongQueueIsDoneInBoundedPieces) {
  host.bytes.resize(20 << 20);
  for (std::uint64_t i = 0; i < entries; ++i) {
    store_le(host.bytes, ring + i * 32 + 16, 4, 16 << 20);
    store_le(host.bytes, ring + i * 32 + 20, 4, 3);
  }
  gpu.write(page::doorbell, 4, entries);
  constexpr std::int64_t deliveries = 2 * (16 << 20) / EmulatedGpu::piece + 1;  // each piece twice, and the descriptor
  host.run(2 * deliveries + 9);
  EXPECT_EQ(gpu.read(page::engine + 12, 4), 2u) << "and some pieces of the third";
  EXPECT_TRUE(gpu.at_work());
  host.run(deliveries);
  EXPECT_EQ(gpu.read(page::engine + 12, 4), 3u);
  EXPECT_EQ(host.most_under_way, EmulatedGpu::pieces);
}

TEST_F(CopyEngines, ACopyInPiecesLosesNoByte) {
  for (std::size_t i = 0; i < 200'000; ++i) host.bytes[0x10000 + i] = static_cast<std::uint8_t>(i * 7 + i / 253);
  store_le(host.bytes, ring, 8, 0x10003);
  store_le(host.bytes, ring + 8, 8, 0x50001);
  store_le(host.bytes, ring + 16, 4, 200'000);
  store_le(host.bytes, ring + 20, 4, 3);
  gpu.write(page::doorbell, 4, 1);
  int deliveries = 0;
  for (; host.step(); ++deliveries) {}
  EXPECT_EQ(deliveries, 9) << "the descriptor, and pieces that end at 0x60000, 0x70000, 0x80000 and the end";
  const auto from = host.bytes.begin() + 0x10003;
  EXPECT_TRUE(std::equal(from, from + 200'000, host.bytes.begin() + 0x50001));
}

TEST_F(CopyEngines, ARingThatIsEmptiedEndsTheCopyThatHasBegun) {
  store_le(host.bytes, ring + 16, 4, 1 << 20);
  store_le(host.bytes, ring + 20, 4, 1);
  gpu.write(page::doorbell, 4, 1);
  host.run(3);
  EXPECT_TRUE(gpu.at_work());
  gpu.write(page::engine + 8, 4, entries);
  EXPECT_FALSE(gpu.at_work());
  EXPECT_EQ(copy(0x10000, 0, 64, 1), 0u) << "not the rest of the other one";
  EXPECT_EQ(gpu.copies(), 1);
}

/// Copies on both engines, of any kind, between regions that do not overlap.
struct Outcome {
  std::vector<std::uint8_t> memory, vram;
  std::array<std::size_t, pcie::purposes> counted{};
  std::int64_t copies = 0, failed = 0;
  bool operator==(const Outcome&) const = default;
};
Outcome run(std::uint64_t seed, ArrayDma& dma) {
  std::vector<std::uint8_t> vram(1 << 20);
  EmulatedGpu gpu{vram, 1, dma};
  dma.attach(gpu);
  Random random{seed, "copies"};
  for (auto* memory : {&vram, &dma.bytes})
    for (auto& byte : *memory) byte = static_cast<std::uint8_t>(random.below(256));
  for (std::uint64_t e = 0; e < EmulatedGpu::engines; ++e) {
    const std::uint64_t at = page::engine + e * page::engine_stride, own = 0x100000 + e * 0x400000;
    gpu.write(at, 8, own);
    gpu.write(at + 8, 4, entries);
    for (std::uint64_t i = 0; i < entries; ++i) {
      const auto flags = static_cast<std::uint32_t>(random.below(8)),
                 length = static_cast<std::uint32_t>(random.below(0x18000));
      const std::uint64_t part = e * entries + i;  // sources are never written
      store_le(dma.bytes, own + i * 32, 8,
               (flags & 1) != 0 ? own + 0x10000 + random.below(0x8000) : random.below(0x8000));
      store_le(dma.bytes, own + i * 32 + 8, 8,
               (flags & 2) != 0 ? own + 0x100000 + i * 0x20000 + random.below(99) : 0x40000 + part * 0x5000);
      store_le(dma.bytes, own + i * 32 + 16, 4, (flags & 2) != 0 ? length : length % 0x5000);
      store_le(dma.bytes, own + i * 32 + 20, 4, flags);
      store_le(dma.bytes, own + i * 32 + 24, 8, own + 0x8000 + i * 8);
    }
  }
  for (std::uint32_t i = 1; i <= entries; ++i) {
    for (std::uint64_t e = 0; e < EmulatedGpu::engines; ++e) gpu.write(page::doorbell + 4 * e, 4, i);
    dma.run(static_cast<std::int64_t>(random.below(10)));
  }
  dma.run();
  EXPECT_FALSE(gpu.at_work());
  return {dma.bytes, vram, dma.counted, gpu.copies(), gpu.failed()};
}

TEST(CopyEnginesWithDelays, DoTheSame) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ArrayDma without{12 << 20};
    const auto expected = run(seed, without);
    EXPECT_GT(expected.copies, 20);
    for (std::uint64_t delays = 1; delays <= 3; ++delays) {
      ArrayDma delayed{12 << 20, seed * 10 + delays};
      EXPECT_TRUE(run(seed, delayed) == expected) << seed << ", " << delays;
    }
  }
}

}  // namespace
}  // namespace peerpath::gpu
