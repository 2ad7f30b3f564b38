#include "devices/host_cpu/copy_stage.hpp"

#include <gtest/gtest.h>

#include "devices/host_cpu/test_stage.hpp"

namespace peerpath::host_cpu {
namespace {

using namespace std::chrono_literals;
using namespace literals;
using nic::PacketIndex;

TEST(Core, work_is_serial_and_counted) {
  Core core;
  EXPECT_EQ(core.run(nic::at_ns(100), 50ns), nic::at_ns(150));
  EXPECT_EQ(core.run(nic::at_ns(120), 50ns), nic::at_ns(200));
  EXPECT_EQ(core.run(nic::at_ns(500), 10ns), nic::at_ns(510));
  EXPECT_EQ(core.busy(), 110ns);
  EXPECT_EQ(core.busy_until(nic::at_ns(505)), 105ns);
}

TEST(CopyRequests, handles_are_used_again) {
  CopyRequests requests;
  const auto a = requests.add({.bytes = 1_B}), b = requests.add({.bytes = 2_B});
  EXPECT_NE(a, b);
  EXPECT_EQ(requests.at(b).bytes, 2_B);
  requests.remove(a);
  EXPECT_EQ(requests.add({.bytes = 3_B}), a);
}

class CopyStageTest : public StageTest {
 protected:
  void append(std::int64_t bytes, std::uint32_t packet) {
    stage.append(Bytes{bytes}, PacketIndex{packet}, true, nic::at_ns(0), core, out);
  }
  CopyRequest last() { return copies.at(out.transactions.back().cookie); }

  CopyStage stage{host, setup};
};

TEST_F(CopyStageTest, packets_that_gathered_go_as_one_copy) {
  append(300, 1);
  append(200, 2);
  EXPECT_TRUE(out.transactions.empty());
  stage.flush(nic::at_ns(0), core, out);
  ASSERT_EQ(out.transactions.size(), 1u);
  EXPECT_EQ(out.transactions[0].target, fabric::NodeId{2});
  EXPECT_TRUE(out.transactions[0].notify_target);
  EXPECT_EQ(out.transactions[0].ready, Instant{host.config.doorbell_cost});
  EXPECT_EQ(last().bytes, 500_B);
  EXPECT_EQ(last().host.address, BusAddress{0x1000});
  std::vector<PacketIndex> packets;
  EXPECT_FALSE(stage.completed(99, packets));
  EXPECT_TRUE(stage.completed(out.transactions[0].cookie, packets));
  EXPECT_EQ(packets, (std::vector{PacketIndex{1}, PacketIndex{2}}));
  EXPECT_FALSE(stage.completed(out.transactions[0].cookie, packets));
}

TEST_F(CopyStageTest, what_does_not_fit_before_the_end_starts_anew_at_the_front) {
  std::vector<PacketIndex> packets;
  append(700, 1);
  stage.flush(nic::at_ns(0), core, out);
  EXPECT_FALSE(stage.room(400_B));
  ASSERT_TRUE(stage.completed(out.transactions[0].cookie, packets));
  ASSERT_TRUE(stage.room(400_B));
  append(200, 2);
  append(400, 3);  // 100 bytes are skipped; what gathered before goes first
  ASSERT_EQ(out.transactions.size(), 2u);
  EXPECT_EQ(last().host.address, BusAddress{0x1000 + 700});
  EXPECT_EQ(last().bytes, 200_B);
  stage.flush(nic::at_ns(0), core, out);
  EXPECT_EQ(last().host.address, BusAddress{0x1000});
  EXPECT_EQ(last().gpu, GpuAddress{0x50000});
  EXPECT_TRUE(stage.room(300_B));
  EXPECT_FALSE(stage.room(301_B));
}

TEST_F(CopyStageTest, space_is_free_in_order) {
  std::vector<PacketIndex> packets;
  append(400, 1);
  stage.flush(nic::at_ns(0), core, out);
  append(400, 2);
  stage.flush(nic::at_ns(0), core, out);
  ASSERT_TRUE(stage.completed(out.transactions[1].cookie, packets));
  EXPECT_FALSE(stage.room(300_B));  // the first copy still holds its place
  ASSERT_TRUE(stage.completed(out.transactions[0].cookie, packets));
  EXPECT_TRUE(stage.room(300_B));
}

}  // namespace
}  // namespace peerpath::host_cpu
