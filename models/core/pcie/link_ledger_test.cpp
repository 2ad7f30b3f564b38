#include "core/pcie/link_ledger.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie {
namespace {

class Ledger : public testing::Test {
 protected:
  LinkLedger ledger;
  const std::uint32_t nic = ledger.name("nic0"), gpu = ledger.name("gpu0");
  const std::uint32_t nic_link = ledger.link("nic0", "sw0"), gpu_link = ledger.link("gpu0", "sw0");
  const std::vector<LinkLedger::Hop> path{{nic_link, true}, {gpu_link, false}};
};

TEST_F(Ledger, NamesAndLinksAreCountedOnce) {
  EXPECT_EQ(ledger.name("gpu0"), gpu);
  EXPECT_EQ(ledger.link("gpu0", "sw0"), gpu_link);
  EXPECT_EQ(ledger.way(path), "nic0 -> sw0 -> gpu0");
}

// 4096 B at an address above 4 GiB with MPS 256: 16 TLPs with four double words of header and 8 B of framing each.
TEST_F(Ledger, AWriteCountsOnEveryHopAndNowhereElse) {
  ledger.add({.requester = nic, .completer = gpu, .address = 0x8'0000'0000, .bytes = Bytes{4096}, .path = path});
  ASSERT_EQ(ledger.rows().size(), 2u);
  for (const auto& [key, traffic] : ledger.rows()) {
    EXPECT_EQ(traffic.tlps, 16);
    EXPECT_EQ(traffic.data, Bytes{4096});
    EXPECT_EQ(traffic.overhead, Bytes{16 * 24});
  }
  EXPECT_TRUE(ledger.rows().contains({nic_link, true, nic, Purpose::payload}));
  EXPECT_TRUE(ledger.rows().contains({gpu_link, false, nic, Purpose::payload}));
}

// 4096 B with MRRS 512 and completions of 256 B: 8 requests of 3 DW out, 16 completions of 3 DW with data back.
TEST_F(Ledger, AReadsDataComesBackOnTheWay) {
  ledger.add({.requester = nic,
              .completer = gpu,
              .op = Operation::memory_read,
              .address = 0x8000,
              .bytes = Bytes{4096},
              .path = path});
  const auto& out = ledger.rows().at({nic_link, true, nic, Purpose::payload});
  EXPECT_EQ(out.tlps, 8);
  EXPECT_EQ(out.data, Bytes{0});
  EXPECT_EQ(out.overhead, Bytes{8 * 20});
  const auto& back = ledger.rows().at({nic_link, false, nic, Purpose::payload});
  EXPECT_EQ(back.tlps, 16);
  EXPECT_EQ(back.data, Bytes{4096});
  EXPECT_EQ(back.overhead, Bytes{16 * 20});
}

TEST_F(Ledger, RoutesSayWhatWentWhereAndWhatFailed) {
  for (const auto status : {Status::success, Status::success, Status::unsupported_request})
    ledger.add({.requester = nic, .completer = gpu, .status = status, .address = 0, .bytes = Bytes{100}, .path = path});
  ASSERT_EQ(ledger.routes().size(), 1u);
  const auto& total = ledger.routes().begin()->second;
  EXPECT_EQ(total.accesses, 3);
  EXPECT_EQ(total.failed, 1);
  EXPECT_EQ(total.bytes, Bytes{200});
  ledger.reset();
  EXPECT_TRUE(ledger.rows().empty() && ledger.routes().empty());
  EXPECT_EQ(ledger.name("gpu0"), gpu);
}

}  // namespace
}  // namespace peerpath::pcie
