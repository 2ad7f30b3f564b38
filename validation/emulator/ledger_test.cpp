#include "validation/emulator/ledger.hpp"

#include <gmock/gmock.h>

namespace peerpath::emulator {
namespace {

TEST(EmulatorLedger, ReadsBothDirections) {
  const auto links = read_ledger(R"({"ledger": [
    {"link": "nic0-sw0", "direction": "up", "nearer": "sw0", "farther": "nic0",
     "rows": [{"requester": "nic0", "purpose": "payload", "tlps": 4, "data_bytes": 1024, "overhead_bytes": 96}]},
    {"link": "nic0-sw0", "direction": "down", "nearer": "sw0", "farther": "nic0", "rows": []}]})");
  ASSERT_TRUE(links) << links.error();
  ASSERT_EQ(links->size(), 1u);
  const auto& link = links->front();
  EXPECT_EQ(link.nearer, "sw0");
  ASSERT_EQ(link.up.rows.size(), 1u);
  EXPECT_EQ(link.up.rows[0].payload, Bytes{1024});
  EXPECT_EQ(link.up.rows[0].purpose, pcie::Purpose::payload);
  EXPECT_TRUE(link.down.rows.empty());
}

TEST(EmulatorLedger, SaysWhatIsWrong) {
  EXPECT_FALSE(read_ledger(""));
  EXPECT_FALSE(read_ledger("{}"));
  const auto links = read_ledger(R"({"ledger": [{"link": "a-b", "direction": "up", "nearer": "b", "farther": "a",
     "rows": [{"requester": "a", "purpose": "gossip", "tlps": 1, "data_bytes": 1}]}]})");
  ASSERT_FALSE(links);
  EXPECT_THAT(links.error(), testing::HasSubstr("gossip"));
}

}  // namespace
}  // namespace peerpath::emulator
