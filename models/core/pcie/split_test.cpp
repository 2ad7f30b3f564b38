#include "core/pcie/split.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace peerpath::pcie {
namespace {

using namespace literals;

constexpr SplitRules rules{256_B, 512_B, 128_B, false};

std::vector<Run> list(const Runs& runs) {
  std::vector<Run> all;
  for (const auto& run : runs) all.push_back(run);
  return all;
}

std::vector<std::int64_t> sizes(const std::vector<Run>& runs) {
  std::vector<std::int64_t> all;
  for (const auto& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) all.push_back(run[i].bytes.count());
  return all;
}

TEST(Split, AnAlignedPageIsOneRunOfSixteenWrites) {
  const auto runs = list(split_request(rules, Operation::memory_write, 0x10000, 4096_B));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].count, 16);
  EXPECT_EQ(runs[0].first, (Piece{0x10000, 256_B, 64, 67, 16}));
  EXPECT_EQ(runs[0][15].address, 0x10f00u);
}

TEST(Split, AnOddWriteIsCutAtMultiplesOfMps) {
  const auto runs = list(split_request(rules, Operation::memory_write, 0x1f3, 600_B));
  EXPECT_EQ(sizes(runs), (std::vector<std::int64_t>{13, 256, 256, 75}));
  EXPECT_EQ(runs[0].first, (Piece{0x1f3, 13_B, 4, 7, 1}));  // 3 + 13 bytes are 4 double words
  EXPECT_EQ(runs[1].first, (Piece{0x200, 256_B, 64, 67, 16}));
  EXPECT_EQ(runs[2].first, (Piece{0x400, 75_B, 19, 22, 5}));
}

TEST(Split, TheHeaderGrowsAtFourGib) {
  const std::uint64_t border = std::uint64_t{1} << 32;
  const auto runs = list(split_request(rules, Operation::memory_write, border - 512, 1024_B));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].count, 2);
  EXPECT_EQ(runs[0].first.dw, 67);
  EXPECT_EQ(runs[1].first.address, border);
  EXPECT_EQ(runs[1].first.dw, 68);
  EXPECT_EQ(runs[1].count, 2);
}

TEST(Split, AReadRequestCarriesNoDataAndIsCutAtMrrs) {
  const auto runs = list(split_request(rules, Operation::memory_read, 0x100, 1024_B));
  EXPECT_EQ(sizes(runs), (std::vector<std::int64_t>{256, 512, 256}));
  for (const auto& run : runs) {
    EXPECT_EQ(run.first.dw, 3);
    EXPECT_EQ(run.first.units, 0);
  }
}

TEST(Split, CompletionsEndAtMultiplesOfTheStep) {
  const auto runs = list(split_completion(rules, Operation::memory_read, Status::success, 0x17c, 512_B));
  EXPECT_EQ(sizes(runs), (std::vector<std::int64_t>{4, 128, 128, 128, 124}));
  EXPECT_EQ(runs.size(), 3u);
  // A completion's header has three double words wherever its data lies.
  EXPECT_EQ(split_completion(rules, Operation::memory_read, Status::success, 1ull << 40, 128_B).begin()->first.dw, 35);
}

TEST(Split, AnAnswerWithoutDataIsOneTlp) {
  for (const Runs& runs : {split_completion(rules, Operation::memory_read, Status::unsupported_request, 0, 512_B),
                           split_completion(rules, Operation::config_write, Status::success, 0, 4_B)}) {
    ASSERT_EQ(runs.pieces(), 1);
    EXPECT_EQ(runs.begin()->first.dw, 3);
    EXPECT_EQ(runs.begin()->first.units, 0);
  }
}

TEST(Split, AtomicsConfigurationAndEmptyRequestsAreOneTlp) {
  EXPECT_EQ(split_request(rules, Operation::atomic, 0xfc, 8_B).pieces(), 1);
  EXPECT_EQ(split_request(rules, Operation::config_read, 0x10, 4_B).begin()->first.dw, 3);
  EXPECT_EQ(split_request(rules, Operation::config_write, 0x10, 4_B).begin()->first.dw, 4);
  EXPECT_EQ(split_request(rules, Operation::memory_write, 0x101, 0_B).begin()->first, (Piece{0x101, 0_B, 0, 3, 0}));
  EXPECT_EQ(split_request(rules, Operation::message, 0, 0_B).begin()->first.dw, 4);
}

TEST(Split, ADigestAddsOneDoubleWord) {
  SplitRules with_digest = rules;
  with_digest.ecrc = true;
  EXPECT_EQ(split_request(with_digest, Operation::memory_write, 0, 256_B).begin()->first.dw, 68);
  EXPECT_EQ(split_completion(with_digest, Operation::memory_read, Status::success, 0, 128_B).begin()->first.dw, 36);
}

TEST(Split, PiecesCoverTheAccessWithoutGap) {
  for (std::uint64_t address = 0; address < 600; address += 7)
    for (std::int64_t n = 1; n < 1500; n += 13) {
      std::uint64_t at = address;
      std::int64_t pieces = 0;
      const auto runs = split_request(rules, Operation::memory_write, address, Bytes{n});
      for (const auto& run : runs) {
        pieces += run.count;
        for (std::int64_t i = 0; i < run.count; ++i) {
          const Piece piece = run[i];
          ASSERT_EQ(piece.address, at);
          ASSERT_GT(piece.bytes.count(), 0);
          ASSERT_EQ(at / 256, (at + static_cast<std::uint64_t>(piece.bytes.count()) - 1) / 256);
          ASSERT_EQ(piece.data_dw, data_double_words(at, piece.bytes));
          at += static_cast<std::uint64_t>(piece.bytes.count());
        }
      }
      ASSERT_EQ(at, address + static_cast<std::uint64_t>(n));
      ASSERT_EQ(runs.pieces(), pieces);
    }
}

}  // namespace
}  // namespace peerpath::pcie
