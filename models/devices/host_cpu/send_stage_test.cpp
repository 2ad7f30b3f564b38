#include "devices/host_cpu/send_stage.hpp"

#include <gtest/gtest.h>

#include "devices/host_cpu/test_stage.hpp"

namespace peerpath::host_cpu {
namespace {

using namespace literals;

class SendStageTest : public StageTest {
 protected:
  Instant fetch(std::uint32_t packets) { return stage.fetch(packets, nic::at_ns(0), core, out); }
  std::uint64_t handle(std::size_t copy) const { return out.transactions[copy].cookie; }
  const CopyRequest& copy(std::size_t i) const { return copies.at(handle(i)); }

  SendStage stage{host, setup, 300_B};  // three places
};

TEST_F(SendStageTest, asks_the_gpu_for_packets_that_lie_side_by_side) {
  EXPECT_EQ(stage.room(), 3u);
  EXPECT_EQ(fetch(2), Instant{host.config.doorbell_cost});
  ASSERT_EQ(out.transactions.size(), 1u);
  EXPECT_EQ(out.transactions[0].target, fabric::NodeId{2});
  EXPECT_TRUE(out.transactions[0].notify_target);
  EXPECT_EQ(copy(0).direction, CopyDirection::from_gpu);
  EXPECT_EQ(copy(0).host.address, BusAddress{0x1000});
  EXPECT_EQ(copy(0).gpu, GpuAddress{0x50000});
  EXPECT_EQ(copy(0).bytes, 600_B);
  EXPECT_EQ(copy(0).completion.address, BusAddress{0x100});
  EXPECT_EQ(stage.room(), 1u);
  EXPECT_EQ(stage.whole(), 0u);
}

TEST_F(SendStageTest, a_place_is_free_when_its_packet_is_copied) {
  fetch(3);
  EXPECT_FALSE(stage.completed(99));
  ASSERT_TRUE(stage.completed(handle(0)));
  EXPECT_FALSE(stage.completed(handle(0)));
  EXPECT_EQ(stage.whole(), 3u);
  EXPECT_EQ(stage.room(), 0u);
  stage.take(2);
  stage.release(2);
  EXPECT_EQ(stage.whole(), 1u);
  EXPECT_EQ(stage.room(), 2u);
}

TEST_F(SendStageTest, two_copies_where_the_places_wrap) {
  fetch(2);
  ASSERT_TRUE(stage.completed(handle(0)));
  stage.take(2);
  stage.release(2);
  EXPECT_EQ(fetch(3), Instant{3 * host.config.doorbell_cost});
  ASSERT_EQ(out.transactions.size(), 3u);
  EXPECT_EQ(copy(1).host.address, BusAddress{0x1000 + 600});
  EXPECT_EQ(copy(1).bytes, 300_B);
  EXPECT_EQ(copy(2).host.address, BusAddress{0x1000});
  EXPECT_EQ(copy(2).bytes, 600_B);
  EXPECT_EQ(stage.room(), 0u);
}

TEST_F(SendStageTest, packets_keep_their_order_whichever_copy_is_done_first) {
  fetch(1);
  fetch(1);
  ASSERT_TRUE(stage.completed(handle(1)));
  EXPECT_EQ(stage.whole(), 0u);
  ASSERT_TRUE(stage.completed(handle(0)));
  EXPECT_EQ(stage.whole(), 2u);
}

}  // namespace
}  // namespace peerpath::host_cpu
