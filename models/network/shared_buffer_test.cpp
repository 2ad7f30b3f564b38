#include "network/shared_buffer.hpp"

#include <gtest/gtest.h>

#include "peerpath/base/random.hpp"

namespace peerpath::network {
namespace {

SwitchConfig config() {
  SwitchConfig c;
  c.buffer = Bytes{1'000'000};
  c.reserve = Bytes{0};
  c.alpha_log2 = -3;
  return c;
}

TEST(SharedBuffer, OneIngressIsPausedAtANinthOfTheBufferForAlphaOfAnEighth) {
  SharedBuffer buffer{config(), {0, 0}};
  std::int64_t stored = 0;
  while (!buffer.should_pause(0, 3) && stored < 1'000'000) {
    ASSERT_EQ(buffer.admit(0, 3, 1000, 0), SharedBuffer::Admission::taken);
    stored += 1000;
    if (buffer.threshold() - stored < 1000) break;
  }
  // x = (1 - x) / 8 gives x = 1/9.
  EXPECT_NEAR(static_cast<double>(stored), 1e6 / 9, 2000);
}

TEST(SharedBuffer, WhatComesAfterThePauseGoesToTheHeadroomAndThenIsLost) {
  SharedBuffer buffer{config(), {5000, 5000}};
  while (buffer.admit(0, 3, 1000, 0) == SharedBuffer::Admission::taken && !buffer.should_pause(0, 3)) {}
  int more = 0;
  while (buffer.admit(0, 3, 1000, 0) == SharedBuffer::Admission::taken) ++more;
  EXPECT_EQ(more, 4);  // one of five was taken when the pause came due
  EXPECT_EQ(buffer.admit(0, 3, 1000, 0), SharedBuffer::Admission::no_headroom);
  EXPECT_EQ(buffer.admit(1, 3, 1000, 0), SharedBuffer::Admission::taken);
}

TEST(SharedBuffer, IsEmptyAgainWhenAllThatWasTakenHasLeft) {
  auto c = config();
  c.reserve = Bytes{3000};
  SharedBuffer buffer{c, {20'000, 20'000, 20'000}};
  const auto whole = buffer.threshold();
  Random random{3, "buffer"};
  struct Stored {
    std::uint32_t ingress;
    int priority;
    std::int64_t bytes;
  };
  std::vector<Stored> stored;
  for (int i = 0; i < 20'000; ++i) {
    if (random.below(100) < 55) {
      const Stored s{static_cast<std::uint32_t>(random.below(3)), static_cast<int>(random.below(4)),
                     static_cast<std::int64_t>(64 + random.below(9000))};
      if (buffer.admit(s.ingress, s.priority, s.bytes, 0) == SharedBuffer::Admission::taken) stored.push_back(s);
    } else if (!stored.empty()) {
      std::swap(stored[random.below(stored.size())], stored.back());
      buffer.release(stored.back().ingress, stored.back().priority, stored.back().bytes);
      stored.pop_back();
    }
    ASSERT_LE(buffer.used(), c.buffer.count());
  }
  for (const auto& s : stored) buffer.release(s.ingress, s.priority, s.bytes);
  EXPECT_EQ(buffer.used(), 0);
  EXPECT_EQ(buffer.threshold(), whole);
}

}  // namespace
}  // namespace peerpath::network
