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
    queue.push(when, i);
    wanted.emplace_back(when, i);
  }
  std::ranges::stable_sort(wanted, {}, &std::pair<Instant, std::uint32_t>::first);
  for (const auto& [when, subject] : wanted) {
    const auto event = queue.pop();
    ASSERT_EQ(event.when, when);
    ASSERT_EQ(event.what, subject);
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next(), never);
}

TEST(EventQueue, AtOneInstantGivesFirstWhatHasAPlaceInWhateverOrderItCame) {
  EventQueue queue;
  const Instant when{Duration{7}};
  queue.push(when, 100);
  queue.push_at(9, when, 9);
  queue.push(when, 101);
  queue.push_at(3, when, 3);
  queue.push_at(1, when + Duration{1}, 1);
  std::vector<std::uint64_t> order;
  while (!queue.empty()) order.push_back(queue.pop().what);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{3, 9, 100, 101, 1}));
}

}  // namespace
}  // namespace peerpath::network
