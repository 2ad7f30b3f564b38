#include "peerpath/net/checksum.hpp"

#include <gtest/gtest.h>

#include <array>

namespace peerpath::net {
namespace {

TEST(Checksum, matches_the_example_of_rfc_1071) {
  InternetChecksum sum;
  sum.add(std::array<std::uint8_t, 8>{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7});
  EXPECT_EQ(sum.folded(), 0xddf2);
  EXPECT_EQ(sum.value(), 0x220d);
}

TEST(Checksum, an_odd_last_byte_counts_as_the_high_half) {
  InternetChecksum odd, even;
  odd.add(std::array<std::uint8_t, 3>{1, 2, 3});
  even.add(std::array<std::uint8_t, 4>{1, 2, 3, 0});
  EXPECT_EQ(odd.value(), even.value());
}

TEST(Checksum, pieces_add_up) {
  InternetChecksum whole, pieces;
  whole.add(std::array<std::uint8_t, 6>{0xff, 0xfe, 0x80, 0x01, 0x12, 0x34});
  pieces.add(std::array<std::uint8_t, 2>{0xff, 0xfe});
  pieces.add16(0x8001);
  pieces.add(std::array<std::uint8_t, 2>{0x12, 0x34});
  EXPECT_EQ(whole.value(), pieces.value());
}

}  // namespace
}  // namespace peerpath::net
