#include "network/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "peerpath/base/random.hpp"

namespace peerpath::network {
namespace {

TEST(EventQueue, GivesEventsByTimeAndEqualTimesInTheOrderOfPushing) {
  EventQueue queue;
  Random random{1, "events"};
  std::vector<std::pair<Instant, std::uint32_t>> wanted;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const Instant when{Duration{static_cast<std::int64_t>(random.below(50))}};
    queue.push(when, 0, i);
    wanted.emplace_back(when, i);
  }
  std::ranges::stable_sort(wanted, {}, &std::pair<Instant, std::uint32_t>::first);
  for (const auto& [when, subject] : wanted) {
    const auto event = queue.pop();
    ASSERT_EQ(event.when, when);
    ASSERT_EQ(event.subject, subject);
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next(), never);
}

}  // namespace
}  // namespace peerpath::network
