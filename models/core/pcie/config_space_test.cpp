#include "core/pcie/config_space.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie {
namespace {

TEST(ConfigSpace, KeepsOnlyTheBitsThatSoftwareMayWrite) {
  ConfigSpace space;
  space.set(0x10, 4, 0x0000'000c);
  space.allow(0x10, 4, 0xfff0'0000);
  space.write(0x10, 4, 0xffff'ffff);
  EXPECT_EQ(space.read(0x10, 4), 0xfff0'000cU);
  space.write(0x13, 1, 0x12);
  EXPECT_EQ(space.read(0x10, 4), 0x12f0'000cU);
  EXPECT_EQ(space.read(0x12, 2), 0x12f0U);
}

TEST(ConfigSpace, WritingOneClearsAStatusBit) {
  ConfigSpace space;
  space.allow_clear(0x06, 2, 0xf900);
  space.set(0x06, 2, 0xa810);
  space.write(0x06, 2, 0x2010);
  EXPECT_EQ(space.read(0x06, 2), 0x8810U);
}

TEST(ConfigSpace, WalksTheCapabilityLists) {
  ConfigSpace space;
  EXPECT_EQ(space.find_capability(0x10), std::nullopt);
  EXPECT_EQ(space.find_extended_capability(1), std::nullopt);
  EXPECT_EQ(space.add_capability(0x10, 0x3c), 0x40);
  EXPECT_EQ(space.add_capability(0x11, 12), 0x7c);
  EXPECT_EQ(space.add_extended_capability(0x0001, 2, 0x2c), 0x100);
  EXPECT_EQ(space.add_extended_capability(0x000d, 1, 8), 0x12c);
  EXPECT_EQ(space.find_capability(0x11), 0x7c);
  EXPECT_EQ(space.find_extended_capability(0x000d), 0x12c);
  EXPECT_EQ(space.find_extended_capability(0x0002), std::nullopt);
  EXPECT_EQ(space.read(0x06, 2) & 0x10, 0x10U);
  EXPECT_EQ(space.read(0x34, 1), 0x40U);
  EXPECT_EQ(space.read(0x100, 4), 0x12c2'0001U);  // next, version, id
}

TEST(ConfigSpaceDeathTest, AMisalignedAccessIsABug) {
  const ConfigSpace space;
  EXPECT_EXIT(space.read(0x11, 4), testing::ExitedWithCode(70), "misaligned");
  EXPECT_EXIT(space.read(4096, 4), testing::ExitedWithCode(70), "outside");
}

}  // namespace
}  // namespace peerpath::pcie
