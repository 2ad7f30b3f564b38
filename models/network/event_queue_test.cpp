#include "network/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

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
  while (queue.next() != never) order.push_back(queue.pop().what);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{3, 9, 100, 101, 1}));
}

/// Where each of several thousand events lies while time goes on: in the slice that has begun, in one of those to come,
/// behind them, or pushed late.
TEST(EventQueue, GivesWhatASortedListGivesHoweverFarAheadEventsArePushed) {
  EventQueue queue;
  Random random{7, "events"};
  std::set<std::tuple<Instant, std::uint64_t, std::uint64_t>> wanted;
  Instant now{};
  std::uint64_t pushed = 0;
  const auto push = [&] {
    const std::array<std::int64_t, 5> reach{1, 1'000, 20'000'000, 3'000'000'000, 80'000'000'000};
    const auto upto = static_cast<std::uint64_t>(reach[random.below(reach.size())]);
    const auto when = now + Duration{static_cast<std::int64_t>(random.below(upto))};
    const auto what = pushed++;
    if (random.below(2) == 0) {
      queue.push_at(what, when, what);
      wanted.emplace(when, what, what);
    } else {
      queue.push(when, what);
      wanted.emplace(when, Event::without_place | what, what);
    }
  };
  for (int i = 0; i < 4000; ++i) push();
  while (!wanted.empty()) {
    const auto [when, order, what] = *wanted.begin();
    wanted.erase(wanted.begin());
    ASSERT_EQ(queue.next(), when);
    const auto event = queue.pop();
    ASSERT_EQ(event.when, when);
    ASSERT_EQ(event.what, what);
    now = when;
    for (auto more = pushed < 40'000 ? random.below(3) : 0; more > 0; --more) push();
  }
  EXPECT_EQ(queue.next(), never);
}

}  // namespace
}  // namespace peerpath::network
