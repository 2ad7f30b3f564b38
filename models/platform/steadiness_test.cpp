// The search for steady state on series of its own: what it takes for steady, when it ends, and what it says.
#include <gtest/gtest.h>

#include <algorithm>

#include "platform/window_search.hpp"

namespace peerpath::platform {
namespace {

using std::chrono::microseconds;

constexpr std::int64_t bytes_per_us = 12'500;  // 100 Gb/s

struct Course {
  WindowSearch search;
  Duration warmup{}, end{};

  /// `read` fills in what a run has come to by a time in us.
  template <class Read>
  Course(const WindowPlan& plan, const WatchedEntry& entry, std::vector<WatchedBacklog> backlogs, const Read& read)
      : search{plan, {entry}, std::move(backlogs)} {
    for (auto step = WindowSearch::Step::go_on; step != WindowSearch::Step::end;) {
      const auto now = search.next_edge();
      Reading reading{now, {Reading::Entry{}}, {}};
      read(now.time_since_epoch() / microseconds{1}, reading);
      step = search.at_edge(reading);
      if (step == WindowSearch::Step::begin) warmup = now.time_since_epoch();
      end = now.time_since_epoch();
    }
  }
  std::string warnings() const {
    std::string text;
    for (const auto& warning : search.verdict({}).warnings) text += warning + "\n";
    return text;
  }
};

WindowPlan plan() {
  return {.found = true, .judged = true, .longest = microseconds{20'000}, .period = microseconds{1}};
}

TEST(Steadiness, OfAnEvenRateIsSeenAtOnce) {
  const Course course{plan(), {.name = "t"}, {}, [](std::int64_t us, Reading& r) {
                        r.entries[0].offered = r.entries[0].arrived = us * bytes_per_us;
                      }};
  EXPECT_LT(course.end, microseconds{150});
  EXPECT_EQ(course.warnings(), "");
}

TEST(Steadiness, WaitsForABufferToFill) {
  const auto fills = [](std::int64_t us, Reading& r) {
    r.entries[0].offered = r.entries[0].arrived = us * bytes_per_us;
    r.levels = {std::min<std::int64_t>(us, 3000) * 100};  // until 3 ms
  };
  const Course whole{plan(), {.name = "t"}, {{"queues in sw"}}, fills};
  EXPECT_GE(whole.warmup, microseconds{2000});  // at most a third of the window saw it grow
  EXPECT_LT(whole.end, microseconds{9000});
  EXPECT_EQ(whole.warnings(), "");
  auto shorter = plan();
  shorter.longest = microseconds{2000};
  const Course cut{shorter, {.name = "t"}, {{"queues in sw"}}, fills};
  EXPECT_NE(cut.warnings().find("queues in sw grow by 0.8 Gb/s, now at "), std::string::npos) << cut.warnings();
}

TEST(Steadiness, OfAnOverloadNeedsAllTransfersInFlight) {
  const auto overload = [](std::int64_t us, Reading& r) {
    auto& entry = r.entries[0];
    entry.offered = us * bytes_per_us;
    entry.arrived = us * bytes_per_us * 9 / 10;
    entry.waiting = entry.offered - entry.arrived;
    entry.most_in_flight = 64;
    entry.in_flight = std::min<std::int64_t>(entry.waiting / 50'000, 64);  // full after 2.56 ms
  };
  const Course course{plan(), {.name = "t", .waits_at_source = true}, {}, overload};
  EXPECT_GE(course.warmup, microseconds{2560});
  EXPECT_EQ(course.warnings(), "t: offered load exceeds capacity by 10 Gb/s; queueing latency grows without bound\n");
}

TEST(Steadiness, OfAReceiverNeedsAFullBuffer) {
  const auto drops = [](std::int64_t us, Reading& r) {
    auto& entry = r.entries[0];
    entry.offered = us * bytes_per_us;
    entry.waiting = std::min<std::int64_t>(us, 1000) * bytes_per_us / 10;
    entry.arrived = entry.offered * 9 / 10;
  };
  const Course course{plan(), {.name = "rx"}, {}, drops};
  EXPECT_GE(course.warmup, microseconds{1000});
  EXPECT_EQ(course.warnings(), "");
}

}  // namespace
}  // namespace peerpath::platform
