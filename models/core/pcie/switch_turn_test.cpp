#include "core/pcie/switch_turn.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace peerpath::pcie {
namespace {

constexpr Bdf requester{4, 0, 0};
constexpr BusAddress vram{0x8'0000'0000}, registers{0xfe80'0000};

class SwitchTurn : public testing::Test {
 protected:
  void SetUp() override {
    ports[0] = {{0, 0, 4, 4}, true, true, {{{BusAddress{0xfe60'0000}, Bytes{1 << 20}}, {}}}};
    ports[1] = {{0, 0, 5, 5}, true, true, {{{registers, Bytes{1 << 20}}, {vram, Bytes{256 << 20}}}}};
  }
  Turn turn(BusAddress address, std::int64_t bytes) { return turn_request(ports, 0, address, Bytes{bytes}, requester); }

  std::vector<PortRegisters> ports{2};
};

TEST_F(SwitchTurn, ASiblingsWindowIsReachedWithoutTheRootComplex) {
  for (const auto address : {vram, vram + Bytes{(256 << 20) - 64}, registers}) {
    const auto t = turn(address, 64);
    EXPECT_EQ(t.way, TurnWay::down);
    EXPECT_EQ(t.port, 1);
  }
  EXPECT_EQ(turn(BusAddress{0x1000}, 64).way, TurnWay::upstream);
}

TEST_F(SwitchTurn, WhatIsNotWhollyInAWindowGoesUp) {
  EXPECT_EQ(turn(vram + Bytes{(256 << 20) - 63}, 64).way, TurnWay::upstream);
  EXPECT_EQ(turn(BusAddress{~std::uint64_t{0} - 10}, 64).way, TurnWay::upstream);
  EXPECT_EQ(turn(vram + Bytes{-32}, 64).way, TurnWay::upstream);
}

TEST_F(SwitchTurn, EnablesCount) {
  ports[1].memory_enabled = false;
  EXPECT_EQ(turn(vram, 64).way, TurnWay::upstream);
  ports[0].bus_master = false;
  EXPECT_EQ(turn(vram, 64).way, TurnWay::refused);
}

TEST_F(SwitchTurn, AcsRedirectsToTheRootComplexAndChecksWhoAsks) {
  ports[0].acs.control = acs::request_redirect;
  EXPECT_EQ(turn(vram, 64).way, TurnWay::upstream);
  EXPECT_EQ(turn(vram, 64).decision.because, acs::request_redirect);
  ports[0].acs.control = acs::source_validation;
  EXPECT_EQ(turn(vram, 64).way, TurnWay::down);
  ports[0].acs.secondary_bus = ports[0].acs.subordinate_bus = 9;
  EXPECT_EQ(turn(vram, 64).way, TurnWay::refused);
}

TEST_F(SwitchTurn, WhatBelongsBelowThePortItCameFromIsRefusedUnlessForwarded) {
  EXPECT_EQ(turn(BusAddress{0xfe60'0000}, 64).way, TurnWay::refused);
  ports[0].acs.control = acs::upstream_forwarding;
  EXPECT_EQ(turn(BusAddress{0xfe60'0000}, 64).way, TurnWay::upstream);
}

}  // namespace
}  // namespace peerpath::pcie
