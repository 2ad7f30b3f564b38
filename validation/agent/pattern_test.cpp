#include "validation/agent/pattern.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace peerpath::agent {
namespace {

TEST(Pattern, AnyPartIsThatOfTheWhole) {
  std::vector<unsigned char> whole(1000);
  fill_pattern(7, 0, whole);
  for (const std::size_t start : {0u, 1u, 7u, 8u, 9u, 500u}) {
    std::vector<unsigned char> part(100);
    fill_pattern(7, start, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(start))) << start;
    EXPECT_EQ(first_difference(7, start, part), -1);
  }
}

TEST(Pattern, SaysWhichByteIsWrong) {
  std::vector<unsigned char> part(100);
  fill_pattern(7, 40, part);
  part[33] ^= 1;
  EXPECT_EQ(first_difference(7, 40, part), 73);
  EXPECT_EQ(first_difference(7, 41, part), 41);
}

TEST(Pattern, SeedsDiffer) {
  std::vector<unsigned char> part(64);
  fill_pattern(1, 0, part);
  EXPECT_NE(first_difference(2, 0, part), -1);
}

}  // namespace
}  // namespace peerpath::agent
