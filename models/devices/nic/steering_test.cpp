#include "devices/nic/steering.hpp"

#include <gtest/gtest.h>

#include <set>

namespace peerpath::nic {
namespace {

net::ParsedFrame frame_of(std::uint32_t flow) {
  net::ParsedFrame frame;
  frame.key = net::generated_flow(flow);
  return frame;
}

FlowRule port_rule(std::uint32_t location, std::uint16_t port, std::uint16_t queue) {
  FlowRule rule;
  rule.location = location;
  rule.key = net::generated_flow(0);
  rule.key.destination_port = port;
  rule.mask.destination_port = 0xffff;
  rule.queue = QueueIndex{queue};
  return rule;
}

TEST(Steering, spreads_flows_over_all_queues_and_keeps_each_on_one) {
  const Steering steering{4};
  std::set<QueueIndex> used;
  for (std::uint32_t flow = 0; flow < 64; ++flow) {
    const auto queue = steering(frame_of(flow)).queue;
    used.insert(queue);
    EXPECT_EQ(steering(frame_of(flow)).queue, queue);
  }
  EXPECT_EQ(used.size(), 4u);
}

TEST(Steering, the_table_decides) {
  Steering steering{4};
  EXPECT_TRUE(steering.set_table(std::vector<QueueIndex>(128, QueueIndex{3})));
  for (std::uint32_t flow = 0; flow < 16; ++flow) EXPECT_EQ(steering(frame_of(flow)).queue, QueueIndex{3});
  EXPECT_FALSE(steering.set_table(std::vector<QueueIndex>(128, QueueIndex{4})));
  EXPECT_FALSE(steering.set_table({}));
  EXPECT_EQ(steering(frame_of(1)).queue, QueueIndex{3});
}

TEST(Steering, a_rule_goes_before_the_table_and_the_lowest_location_wins) {
  Steering steering{4};
  const auto port = frame_of(9).key.destination_port;
  EXPECT_TRUE(steering.add_rule(port_rule(5, port, 2)));
  EXPECT_EQ(steering(frame_of(9)).queue, QueueIndex{2});
  EXPECT_TRUE(steering(frame_of(9)).by_rule);
  EXPECT_FALSE(steering(frame_of(10)).by_rule);
  EXPECT_TRUE(steering.add_rule(port_rule(1, port, 3)));
  EXPECT_EQ(steering(frame_of(9)).queue, QueueIndex{3});
  EXPECT_TRUE(steering.remove_rule(1));
  EXPECT_FALSE(steering.remove_rule(1));
  EXPECT_EQ(steering(frame_of(9)).queue, QueueIndex{2});
  EXPECT_FALSE(steering.add_rule(port_rule(2, port, 4)));
}

TEST(Steering, flows_seen_before_follow_a_changed_table) {
  Steering steering{4};
  EXPECT_TRUE(steering.add_rule(port_rule(1, 1, 2)));
  EXPECT_FALSE(steering(frame_of(9)).by_rule);
  EXPECT_TRUE(steering.set_table(std::vector<QueueIndex>(128, QueueIndex{1})));
  EXPECT_EQ(steering(frame_of(9)).queue, QueueIndex{1});
  EXPECT_TRUE(steering.set_table(std::vector<QueueIndex>(128, QueueIndex{3})));
  EXPECT_EQ(steering(frame_of(9)).queue, QueueIndex{3});
}

TEST(Steering, what_is_not_ip_goes_to_queue_0) { EXPECT_EQ(Steering{4}(net::ParsedFrame{}).queue, QueueIndex{0}); }

}  // namespace
}  // namespace peerpath::nic
