#include "devices/odp_nic/queue_pair.hpp"

#include <gtest/gtest.h>

namespace peerpath::odp {
namespace {

using namespace literals;
using namespace std::chrono_literals;

QueuePair pair_of(std::vector<Bytes> sizes) {
  return QueuePair{{pcie::Operation::memory_write, 64_KiB, std::move(sizes), BitRate{8'000'000'000}, {}}, 100};
}

TEST(OdpQueuePair, OffersMessagesAtItsRate) {
  auto pair = pair_of({1000_B});
  auto* first = pair.current(Instant{});
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->number, 100U);
  first->sent = first->size;
  EXPECT_EQ(pair.next_offer(), Instant{1us}) << "1000 B at a byte a nanosecond";
  EXPECT_EQ(pair.current(Instant{999ns}), nullptr);
  EXPECT_EQ(pair.current(Instant{1us})->offered, Instant{1us});
}

TEST(OdpQueuePair, StaysWithAMessageUntilAllOfItIsSent) {
  auto pair = pair_of({1000_B, 24_KiB});
  auto* first = pair.current(Instant{});
  first->sent = 999_B;
  EXPECT_EQ(pair.current(Instant{10us}), first);
  first->sent = 1000_B;
  EXPECT_EQ(pair.current(Instant{10us})->size, 24_KiB);
  EXPECT_EQ(pair.open().size(), 2U);
}

TEST(OdpQueuePair, BeginsAgainWhereAMessageWouldLeaveTheBuffer) {
  auto pair = pair_of({40_KiB});
  auto* first = pair.current(Instant{});
  EXPECT_EQ(first->start, 0_B);
  first->sent = first->size;
  EXPECT_EQ(pair.current(Instant{1ms})->start, 0_B) << "24 KiB are left";
}

TEST(OdpQueuePair, PacketsEndWithTheMtuThePageAndTheMessage) {
  Message message{.start = 3000_B, .size = 6000_B};
  const auto packet = [&](Bytes sent) {
    message.sent = sent;
    return QueuePair::next_packet(message, 1024_B, 4_KiB);
  };
  EXPECT_EQ(packet(0_B).size, 1024_B);
  EXPECT_EQ(packet(1024_B).size, 72_B) << "the end of page 0";
  EXPECT_EQ(packet(1096_B).page, 1U);
  EXPECT_EQ(packet(1096_B).offset, 0_B);
  EXPECT_EQ(packet(5900_B).size, 100_B);
}

}  // namespace
}  // namespace peerpath::odp
