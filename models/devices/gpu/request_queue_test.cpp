#include "devices/gpu/request_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "devices/nic/test_outbox.hpp"

namespace peerpath::gpu {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using pcie::Operation;

/// Asks for what it is told to at the start, and remembers what it hears.
class Part final : public device::Endpoint {
 public:
  void start(device::Outbox& out) override {
    for (const auto& t : asks) out.submit(fabric::ChannelIndex{1}, t);
    if (wake > Instant{}) out.wake_at(device::TimerId{0}, wake);
  }
  void on_delivery(const fabric::Delivery& delivery, device::Outbox&) override { heard.push_back(delivery.cookie); }
  void on_wake(device::TimerId timer, Instant, device::Outbox&) override { woken.push_back(timer.value()); }

  std::vector<fabric::Transaction> asks;
  Instant wake{};
  std::vector<std::uint64_t> heard;
  std::vector<int> woken;
};

fabric::Transaction ask(Operation op, std::uint64_t cookie, Bytes bytes, Instant ready = {}) {
  fabric::Transaction t;
  t.cookie = cookie;
  t.op = op;
  t.bytes = bytes;
  t.ready = ready;
  return t;
}

class Queued : public testing::Test {
 protected:
  void start() {
    EXPECT_EQ(queue.add(kernel, 1, RequestQueue::Asks::kernel, kernel_reaction), 0);
    EXPECT_EQ(queue.add(engine, 1, RequestQueue::Asks::engine), 1);
    queue.start(out);
  }
  void finish(const fabric::Transaction& t, Instant at) { queue.on_delivery(nic::delivery_of(t, at), out); }

  RequestQueue queue{4, 256_B};
  Duration kernel_reaction{};
  Part kernel, engine;
  nic::TestOutbox out;
};

TEST_F(Queued, WhatIsReadyFirstLeavesFirstWhoeverAsksForIt) {
  kernel.asks = {ask(Operation::memory_read, 7, 128_B, Instant{20ns})};
  engine.asks = {ask(Operation::memory_write, 8, 4_KiB, Instant{10ns}),
                 ask(Operation::memory_write, 9, 4_KiB, Instant{30ns})};
  start();
  EXPECT_TRUE(out.transactions.empty());
  for (const auto at : {10ns, 20ns, 30ns}) {
    EXPECT_EQ(out.timers.at(device::TimerId{0xffff}), Instant{at});
    queue.on_wake(device::TimerId{0xffff}, Instant{at}, out);
  }
  EXPECT_EQ(out.channels, (std::vector{fabric::ChannelIndex{2}, fabric::ChannelIndex{1}, fabric::ChannelIndex{2}}));
}

TEST_F(Queued, AReadWaitsBehindWritesThatTheLinkDoesNotTakeYet) {
  for (std::uint64_t n = 0; n < 9; ++n) engine.asks.push_back(ask(Operation::memory_write, n, 4_KiB));
  kernel.asks = {ask(Operation::memory_read, 99, 128_B, Instant{1ns})};
  start();
  queue.on_wake(device::TimerId{0xffff}, Instant{1ns}, out);
  const auto gone = out.take();
  ASSERT_EQ(gone.size(), 8u) << "32 KiB";
  finish(gone[0], Instant{100ns});
  const auto more = out.take();
  ASSERT_EQ(more.size(), 2u) << "the ninth write, and the read behind it";
  EXPECT_EQ(more[1].op, Operation::memory_read);
  EXPECT_EQ(more[1].ready, Instant{100ns});
  EXPECT_EQ(engine.heard, (std::vector<std::uint64_t>{0})) << "by its own cookie";
}

TEST_F(Queued, WhatFollowsAWriteGoesWhenThatHasLeft) {
  queue = RequestQueue{4, 256_B, 80_Gbps};  // 10 B a nanosecond
  engine.asks = {ask(Operation::memory_write, 1, 1000_B), ask(Operation::memory_write, 2, 1000_B)};
  kernel.asks = {ask(Operation::memory_read, 3, 128_B, Instant{1ns})};
  start();
  EXPECT_EQ(out.take().size(), 1u);
  for (const auto at : {1ns, 100ns, 200ns}) {
    EXPECT_EQ(out.timers.at(device::TimerId{0xffff}), Instant{at});
    queue.on_wake(device::TimerId{0xffff}, Instant{at}, out);
    EXPECT_EQ(out.take().size(), at == 1ns ? 0u : 1u);
  }
  EXPECT_EQ(queue.waiting(), 0u);
}

TEST_F(Queued, AStoreWaitsForTheTurnsOfTheReadsBeforeIt) {
  queue = RequestQueue{4, 256_B, {}, 10ns};
  for (std::uint64_t n = 1; n <= 3; ++n) kernel.asks.push_back(ask(Operation::memory_read, n, 128_B));
  kernel.asks.push_back(ask(Operation::memory_write, 4, 128_B));
  engine.asks = {ask(Operation::memory_write, 5, 128_B)};
  start();
  const auto gone = out.take();
  ASSERT_EQ(gone.size(), 4u) << "reads do not wait for each other, nor does a copy";
  EXPECT_EQ(gone[1].op, Operation::memory_write);
  EXPECT_EQ(out.timers.at(device::TimerId{0xffff}), Instant{30ns});
  queue.on_wake(device::TimerId{0xffff}, Instant{30ns}, out);
  EXPECT_EQ(out.take().size(), 1u);
}

TEST_F(Queued, AWriteWaitsBehindReadsThatFindNoTag) {
  kernel.asks = {ask(Operation::memory_read, 1, 1_KiB), ask(Operation::memory_read, 2, 128_B)};
  engine.asks = {ask(Operation::memory_write, 3, 128_B, Instant{1ns})};
  start();
  queue.on_wake(device::TimerId{0xffff}, Instant{1ns}, out);
  const auto gone = out.take();
  ASSERT_EQ(gone.size(), 1u) << "a read of 1 KiB takes all four tags";
  finish(gone[0], Instant{50ns});
  EXPECT_EQ(out.take().size(), 2u);
  EXPECT_EQ(queue.waiting(), 0u);
}

TEST_F(Queued, KernelsHaveTwoTurnsForEachOfAnEngineWhereBothWait) {
  queue = RequestQueue{100, 256_B};
  for (std::uint64_t n = 0; n < 8; ++n) kernel.asks.push_back(ask(Operation::memory_read, n, 128_B));
  for (std::uint64_t n = 8; n < 10; ++n) engine.asks.push_back(ask(Operation::memory_read, n, 256_B));
  start();
  std::vector<int> channels;
  for (const auto channel : out.channels) channels.push_back(channel.value());
  EXPECT_EQ(channels, (std::vector{1, 2, 1, 1, 2, 1, 1, 1, 1, 1}));
}

TEST_F(Queued, KernelsHaveSixTurnsForFiveWritesOfAnEngineWhereBothWait) {
  queue = RequestQueue{100, 256_B};
  for (std::uint64_t n = 0; n < 12; ++n) kernel.asks.push_back(ask(Operation::memory_read, n, 128_B));
  for (std::uint64_t n = 12; n < 24; ++n) engine.asks.push_back(ask(Operation::memory_write, n, 256_B));
  start();
  ASSERT_EQ(out.channels.size(), 24u);
  EXPECT_EQ(std::count(out.channels.begin(), out.channels.begin() + 11, fabric::ChannelIndex{1}), 6);
  EXPECT_EQ(std::count(out.channels.begin() + 11, out.channels.begin() + 22, fabric::ChannelIndex{1}), 6);
}

TEST_F(Queued, AnEntryIsFreeWhenTheReadIsOverInsideTheGpu) {
  queue = RequestQueue{100'000, 256_B};
  kernel_reaction = 50ns;
  constexpr auto more = static_cast<std::uint64_t>(RequestQueue::entries) + 2;
  for (std::uint64_t n = 0; n < more; ++n) kernel.asks.push_back(ask(Operation::memory_read, n, 128_B));
  start();
  const auto gone = out.take();
  ASSERT_EQ(gone.size(), more - 2);
  finish(gone[0], Instant{100ns});
  EXPECT_TRUE(out.take().empty());
  EXPECT_EQ(out.timers.at(device::TimerId{0xffff}), Instant{150ns});
  queue.on_wake(device::TimerId{0xffff}, Instant{150ns}, out);
  EXPECT_EQ(out.take().size(), 1u);
  EXPECT_EQ(queue.waiting(), 1u);
}

TEST_F(Queued, EachPartHasItsOwnTimers) {
  engine.wake = Instant{5ns};
  start();
  ASSERT_EQ(out.timers.size(), 1u);
  queue.on_wake(out.timers.begin()->first, Instant{5ns}, out);
  EXPECT_EQ(engine.woken, std::vector<int>{0});
  EXPECT_TRUE(kernel.woken.empty());
}

}  // namespace
}  // namespace peerpath::gpu
