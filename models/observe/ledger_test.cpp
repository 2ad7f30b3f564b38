#include "observe/ledger.hpp"

#include <gtest/gtest.h>

#include "observe/ledger_fixture.hpp"

namespace peerpath::observe {
namespace {

TEST(Ledger, SubtractsSnapshotsAndNamesEnds) {
  const auto topology = small_topology();
  CountingFabric fabric{topology};
  fabric.carry(0, 1, 2, pcie::Purpose::payload, 1, 256);
  const auto before = take_snapshot(fabric, topology.links.size());
  fabric.carry(0, 1, 2, pcie::Purpose::payload, 3, 768);
  const auto after = take_snapshot(fabric, topology.links.size());
  const auto links = ledger(topology, small_labels(), before, after);
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].name, "switch0-rc0");
  EXPECT_EQ(links[1].name, "nic0-switch0");
  EXPECT_EQ(links[2].name, "gpu0-switch0");
  ASSERT_EQ(links[0].up.rows.size(), 1u);
  EXPECT_TRUE(links[0].down.rows.empty());
  const auto& row = links[0].up.rows[0];
  EXPECT_EQ(row.requester, "nic0");
  EXPECT_EQ(row.purpose, pcie::Purpose::payload);
  EXPECT_EQ(row.tlps, 3);
  EXPECT_EQ(row.payload, Bytes{768});
  EXPECT_EQ(row.overhead, Bytes{60});
}

TEST(Ledger, TheEndNearerToTheRootComplexMayBeEither) {
  const auto topology = small_topology();
  CountingFabric fabric{topology};
  fabric.carry(2, 0, 3, pcie::Purpose::payload, 1, 64);  // link 2 is gpu0 (a) to switch0 (b): 0 is up
  const Snapshot start = take_snapshot(CountingFabric{topology}, topology.links.size());
  const auto links = ledger(topology, small_labels(), start, take_snapshot(fabric, topology.links.size()));
  EXPECT_EQ(links[2].nearer, "switch0");
  EXPECT_EQ(links[2].up.rows.size(), 1u);
  EXPECT_TRUE(links[2].down.rows.empty());
}

}  // namespace
}  // namespace peerpath::observe
