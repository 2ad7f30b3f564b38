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
  /// All messages took 5 us.
  std::string warnings() const {
    observe::Histogram latencies;
    latencies.record(microseconds{5});
    std::string text;
    for (const auto& warning : search.verdict({&latencies}).warnings) text += warning + "\n";
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

/// One message in each slice of 1 us.
Course of_messages(const WatchedEntry& entry, std::int64_t waiting) {
  return {plan(), entry, {}, [=](std::int64_t us, Reading& r) {
            r.entries[0].offered = r.entries[0].arrived = us * bytes_per_us;
            r.entries[0].waiting = waiting;
          }};
}

double half_width(const Course& course) {
  observe::Histogram latencies;
  for (const auto& interval : course.search.verdict({&latencies}).intervals)
    if (interval.metric == "t.goodput_gbps") return interval.half_width.value();
  return -1;
}

/// Equal counts in all slices may be those of a load that is one message more or less in all of the window.
TEST(Steadiness, OfACountOfMessagesNeedsAHundred) {
  const auto course = of_messages({.name = "t", .message = bytes_per_us, .piece = bytes_per_us}, bytes_per_us);
  EXPECT_GE(course.end - course.warmup, microseconds{100});
  EXPECT_NEAR(half_width(course), 100.0 / static_cast<double>((course.end - course.warmup) / microseconds{1}), 1e-3);
  EXPECT_EQ(course.warnings(), "");
}

TEST(Steadiness, OfMessagesThatComeTlpByTlpNeedsAHundredOnlyIfTheyLeaveGaps) {
  const WatchedEntry entry{.name = "t", .message = bytes_per_us, .piece = 128};
  EXPECT_LT(of_messages(entry, bytes_per_us).end, microseconds{100});
  EXPECT_GE(of_messages(entry, 0).end, microseconds{200});
}

TEST(Steadiness, OfWholePeriodsIsExact) {
  const auto course =
      of_messages({.name = "t", .message = bytes_per_us, .piece = bytes_per_us, .period = microseconds{1}}, 0);
  EXPECT_LT(course.end, microseconds{100});
  EXPECT_EQ(half_width(course), 0);
}

TEST(Steadiness, SaysThatAWindowHoldsFewMessages) {
  auto shorter = plan();
  shorter.longest = microseconds{64};
  const Course course{
      shorter, {.name = "t", .message = bytes_per_us, .piece = bytes_per_us}, {}, [](std::int64_t us, Reading& r) {
        r.entries[0].offered = r.entries[0].arrived = us * bytes_per_us;
      }};
  EXPECT_EQ(course.warnings(), "t.goodput_gbps: 95 % interval is ±3.1 %; increase run.at_most\n");
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

TEST(Steadiness, OfAnOverloadNeedsThemInAllOfTheWindow) {
  auto until_full = plan();
  until_full.longest = microseconds{4000};
  const Course course{until_full, {.name = "t", .waits_at_source = true}, {}, [](std::int64_t us, Reading& r) {
                        auto& entry = r.entries[0];
                        entry.offered = us * bytes_per_us;
                        entry.arrived = us * bytes_per_us * 9 / 10;
                        entry.waiting = entry.offered - entry.arrived;
                        entry.most_in_flight = 64;
                        entry.in_flight = std::min<std::int64_t>(us / 40, 64);  // 50 after 2 ms, full after 2.56 ms
                      }};
  EXPECT_EQ(course.warmup, microseconds{2000});
  EXPECT_NE(course.warnings().find("only 50 of 64 transfers are in flight"), std::string::npos) << course.warnings();
}

/// One connection may send at twice the rate of the other for 3 ms; latencies show nothing of it.
Course shared_by_two(Duration longest, Duration evening, Duration mean_before = microseconds{6}) {
  auto p = plan();
  p.longest = longest;
  return {p, {.name = "t", .latencies = {{500'000, ".latency_p50_ns"}}}, {}, [=](std::int64_t us, Reading& r) {
            auto& entry = r.entries[0];
            entry.offered = entry.arrived = us * bytes_per_us;
            entry.samples = us == 0 ? 0 : 10;
            entry.latencies = {5'000'000'000, us < 3000 ? mean_before.count() : 5'000'000'000};
            entry.rates = {us < 3000 ? 60'000'000'000 : 45'000'000'000, us < 3000 ? 30'000'000'000 : 45'000'000'000};
            entry.evening = evening;
          }};
}

TEST(Steadiness, OfALatencyNeedsEvenRatesOfConnections) {
  const auto whole = shared_by_two(microseconds{20'000}, std::chrono::seconds{1});
  EXPECT_GE(whole.warmup, microseconds{2000});
  EXPECT_LT(whole.end, microseconds{16'000});
  EXPECT_EQ(whole.warnings(), "");
  EXPECT_EQ(
      shared_by_two(microseconds{2500}, std::chrono::seconds{1}).warnings(),
      "t.latency_p50_ns has not settled: congestion control allows connections rates from 30 Gb/s to 60 Gb/s, and "
      "takes about 1000 ms to even them out; increase run.at_most\n");
}

TEST(Steadiness, OfALatencyThatIsTheMeanNeedsNoEvenRates) {
  const auto course = shared_by_two(microseconds{2500}, std::chrono::seconds{1}, microseconds{5});
  EXPECT_LT(course.end, microseconds{200});
  EXPECT_EQ(course.warnings(), "");
}

TEST(Steadiness, OfALatencyTakesRatesThatStayUnevenForGood) {
  const auto course = shared_by_two(microseconds{2500}, microseconds{50});
  EXPECT_LT(course.end, microseconds{200});
  EXPECT_EQ(course.warnings(), "");
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
