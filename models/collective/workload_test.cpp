#include <gtest/gtest.h>

#include <map>
#include <set>

#include "collective/instant_carrier.hpp"
#include "collective/workload_player.hpp"

namespace peerpath::collective {
namespace {

using namespace std::chrono_literals;
using testing::InstantCarrier;

TEST(Schedule, OverTreesEveryRankHasTheSumOfAllAndNoneSendsMuchMoreThanTwiceTheBytes) {
  for (const std::uint32_t n : {2u, 3u, 5u, 8u, 13u, 16u}) {
    const auto schedule = tree_all_reduce(n, Bytes{1000});
    ASSERT_EQ(schedule.size(), 4 * (n - 1));
    // By half: what each rank holds of the others, as sets, and what it has sent.
    std::map<std::uint32_t, std::int64_t> sent;
    for (const std::size_t half : {0u, 1u}) {
      std::vector<std::set<std::uint32_t>> held(n);
      for (std::uint32_t r = 0; r < n; ++r) held[r] = {r};
      const auto first = half * schedule.size() / 2;
      for (auto i = first; i < first + schedule.size() / 2; ++i) {
        const auto& s = schedule[i];
        for (const auto cause : {s.after, s.also}) {
          if (cause == Send::at_once) continue;
          EXPECT_LT(cause, i);
          EXPECT_EQ(schedule[cause].to, s.from);
        }
        held[s.to].insert(held[s.from].begin(), held[s.from].end());
        sent[s.from] += s.bytes.count();
      }
      for (const auto& of : held) EXPECT_EQ(of.size(), n);
    }
    for (const auto& [rank, bytes] : sent) EXPECT_LE(bytes, 3000) << rank << " of " << n;
  }
}

TEST(Schedule, ABroadcastGoesFromTheRootToAll) {
  std::set<std::uint32_t> have{2};
  for (const auto& s : chain_broadcast(5, Bytes{10}, 2)) {
    EXPECT_TRUE(have.contains(s.from));
    EXPECT_TRUE(have.insert(s.to).second);
  }
  EXPECT_EQ(have.size(), 5u);
}

struct Played {
  std::vector<RankUse> uses{};
  bool over = false;
  Bytes posted{};
};

Played play(const Workload& job, Duration latency, const PlayerConfig& player = {}, const WorkloadConfig& config = {}) {
  InstantCarrier carrier{latency};
  std::vector<HostIndex> hosts;
  for (HostIndex h = 0; h < job.ranks.size(); ++h) hosts.push_back(h);
  WorkloadPlayer jobs{carrier.carrier(),
                      job,
                      hosts,
                      player,
                      config,
                      [&](Instant when, std::uint32_t number) { carrier.wake(when, number); }};
  carrier.arrived = [&](auto channel, auto number, Instant now) { EXPECT_TRUE(jobs.arrived(channel, number, now)); };
  carrier.acknowledged = [&](auto channel, auto number, Instant now) {
    EXPECT_TRUE(jobs.acknowledged(channel, number, now));
  };
  carrier.timed = [&](std::uint32_t number, Instant now) { jobs.timed(number, now); };
  jobs.start(Instant{});
  carrier.run();
  return {jobs.uses(), jobs.over(), carrier.posted};
}

Task computing(Duration time, std::vector<std::uint32_t> after = {}, Task::Kind kind = Task::Kind::gpu) {
  return {.kind = kind, .time = time, .after = std::move(after)};
}
Task exchanging(std::uint32_t operation, std::uint32_t place, std::vector<std::uint32_t> after) {
  return {.kind = Task::Kind::exchange, .operation = operation, .place = place, .after = std::move(after)};
}

/// Computing of 100 us, an AllReduce beside 50 us more, and 30 us that wait for both; the second rank is late by 20 us.
Workload overlapped() {
  Workload job;
  for (std::uint32_t r = 0; r < 2; ++r)
    job.ranks.push_back(
        {computing(r == 0 ? 100us : 120us), exchanging(0, r, {0}), computing(50us, {0}), computing(30us, {1, 2})});
  job.groups = {{0, 1}};
  job.operations = {{.bytes = Bytes{1000}, .tasks = {1, 1}}};
  return job;
}

TEST(WorkloadPlayer, CommunicationIsExposedWhereNothingIsComputedBesideIt) {
  // A way is 25 us. The late rank sends at 120 us, the other passes that on at 145 and hears of its arrival at 195;
  // what it sent at 100 us goes back at 125, when it is there, and is heard of at 175.
  const auto played = play(overlapped(), 25us);
  ASSERT_TRUE(played.over);
  const auto &early = played.uses[0], &late = played.uses[1];
  EXPECT_EQ(early.computing, 180us);
  EXPECT_EQ(late.computing, 200us);
  EXPECT_EQ(early.hidden, 50us);
  EXPECT_EQ(late.hidden, 50us);
  EXPECT_EQ(late.communicating, 55us);
  EXPECT_EQ(late.ended, Instant{205us});
  EXPECT_EQ(early.communicating, 95us);
  EXPECT_EQ(early.ended, Instant{225us});
}

TEST(WorkloadPlayer, AGpuDoesOneTaskAtATimeAndACpuBesideIt) {
  Workload job;
  job.ranks.push_back({computing(10us),
                       computing(10us),
                       computing(15us, {}, Task::Kind::cpu),
                       {.after = {0, 1, 2}},
                       computing(0us, {3}),
                       computing(1us, {4})});
  const auto played = play(job, 1us);
  ASSERT_TRUE(played.over);
  EXPECT_EQ(played.uses[0].ended, Instant{21us});
  EXPECT_EQ(played.uses[0].computing, 21us);
  EXPECT_EQ(played.uses[0].communicating, 0us);
}

/// A message from a rank that is there at once to one that comes after 50 us.
Workload early_message() {
  Workload job;
  job.ranks = {{exchanging(0, 0, {})}, {computing(50us), exchanging(0, 1, {0})}};
  job.groups = {{0, 1}};
  job.operations = {{.kind = Exchange::message, .bytes = Bytes{1}, .tasks = {0, 1}}};
  return job;
}

TEST(WorkloadPlayer, AMessageWaitsForItsReceiverOnlyWhereItIsCleared) {
  const auto eager = play(early_message(), 10us);
  EXPECT_EQ(eager.uses[0].ended, Instant{20us});
  EXPECT_EQ(eager.uses[1].ended, Instant{50us});
  const auto cleared = play(early_message(), 10us, {.admitted = 1});
  ASSERT_TRUE(cleared.over);
  EXPECT_EQ(cleared.uses[1].ended, Instant{70us});
  EXPECT_EQ(cleared.uses[0].ended, Instant{80us});
}

TEST(WorkloadPlayer, EachKindOfExchangeEndsAndSendsItsBytes) {
  const std::vector<std::pair<Exchange, std::int64_t>> kinds{{Exchange::all_reduce, 2 * 7 * 8'000'000},
                                                             {Exchange::all_gather, 7 * 8 * 8'000'000},
                                                             {Exchange::reduce_scatter, 7 * 8'000'000},
                                                             {Exchange::all_to_all, 7 * 8'000'000},
                                                             {Exchange::broadcast, 7 * 8'000'000}};
  for (const auto& [kind, bytes] : kinds)
    for (const int admitted : {0, 2}) {
      Workload job;
      Operation operation{.kind = kind, .bytes = Bytes{8'000'000}, .root = 3, .tasks = std::vector<std::uint32_t>(8)};
      job.groups = {{0, 1, 2, 3, 4, 5, 6, 7}};
      job.operations = {operation};
      for (std::uint32_t r = 0; r < 8; ++r) job.ranks.push_back({exchanging(0, r, {})});
      const auto played = play(job, 1us, {.qps = 2, .use = QpUse::split, .admitted = admitted});
      EXPECT_TRUE(played.over);
      const auto messages = static_cast<std::int64_t>(messages_of(operation, 8, {}));
      EXPECT_EQ(played.posted.count() - (admitted > 0 ? 64 * messages : 0), bytes);
      EXPECT_EQ(schedule_of(operation, 8, {}).size(), static_cast<std::size_t>(messages));
    }
}

TEST(WorkloadPlayer, AnExchangeOfOneRankOrOfFewBytesEndsToo) {
  Workload job;
  job.ranks = {{exchanging(0, 0, {}), exchanging(1, 0, {0})}, {exchanging(1, 1, {})}, {exchanging(1, 2, {})}};
  job.groups = {{0}, {0, 1, 2}};
  job.operations = {{.group = 0, .bytes = Bytes{1}, .tasks = {0}}, {.group = 1, .bytes = Bytes{1}, .tasks = {1, 0, 0}}};
  for (const auto algorithm : {Algorithm::ring, Algorithm::tree})
    EXPECT_TRUE(play(job, 1us, {}, {.all_reduce = algorithm}).over);
}

}  // namespace
}  // namespace peerpath::collective
