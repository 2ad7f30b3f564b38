#include "peerpath/base/byte_order.hpp"

#include <gtest/gtest.h>

#include <array>

namespace peerpath {
namespace {

constexpr std::array<std::uint8_t, 5> bytes{0xff, 0x12, 0x34, 0x56, 0xff};
static_assert(load_be(bytes, 1, 3) == 0x123456);
static_assert(load_le(bytes, 1, 3) == 0x563412);

TEST(ByteOrder, ANumberIsStoredAsItIsLoadedAndNothingBesideIt) {
  std::array<std::uint8_t, 5> written{0xff, 0, 0, 0, 0xff};
  store_be(written, 1, 3, 0xab123456);  // more than there is room for
  EXPECT_EQ(written, bytes);
  store_le(written, 1, 3, 0xab563412);
  EXPECT_EQ(written, bytes);
}

}  // namespace
}  // namespace peerpath
