#include <gtest/gtest.h>

#include "observe/ledger_fixture.hpp"

namespace peerpath::observe {
namespace {

constexpr std::size_t nic = 2;

std::vector<std::string> violations(const CountingFabric& fabric, bool drained) {
  return conservation(small_topology(), take_snapshot(fabric, 3), drained);
}

TEST(Conservation, HoldsWhenASwitchPassesOnWhatCameIn) {
  CountingFabric fabric{small_topology()};
  fabric.carry(1, 1, nic, pcie::Purpose::payload, 16, 4096);
  fabric.carry(2, 1, nic, pcie::Purpose::payload, 16, 4096);
  EXPECT_TRUE(violations(fabric, true).empty());
}

TEST(Conservation, WhatIsUnderWayIsMissingOnlyAfterDraining) {
  CountingFabric fabric{small_topology()};
  fabric.carry(1, 1, nic, pcie::Purpose::payload, 16, 4096);
  fabric.carry(2, 1, nic, pcie::Purpose::payload, 15, 3840);
  EXPECT_TRUE(violations(fabric, false).empty());
  EXPECT_EQ(violations(fabric, true).size(), 1u);
}

TEST(Conservation, InventedBytesAreFound) {
  CountingFabric fabric{small_topology()};
  fabric.carry(1, 1, nic, pcie::Purpose::payload, 16, 4096);
  fabric.carry(2, 1, nic, pcie::Purpose::payload, 16, 4100);
  const auto found = violations(fabric, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "switch0: payload of nic0: 16 TLPs with 4096 B in, 16 TLPs with 4100 B out");
}

TEST(Conservation, ChangedPurposeIsFound) {
  CountingFabric fabric{small_topology()};
  fabric.carry(1, 1, nic, pcie::Purpose::payload, 16, 4096);
  fabric.carry(2, 1, nic, pcie::Purpose::header, 16, 4096);
  EXPECT_FALSE(violations(fabric, false).empty());
}

TEST(Conservation, AnswersNobodyAskedForAreFound) {
  CountingFabric fabric{small_topology()};
  fabric.carry(2, 0, nic, pcie::Purpose::payload, 1, 64);  // gpu0 sends on behalf of nic0
  fabric.carry(1, 0, nic, pcie::Purpose::payload, 1, 64);
  const auto found = violations(fabric, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "gpu0: payload of nic0: completions without a request");
}

}  // namespace
}  // namespace peerpath::observe
