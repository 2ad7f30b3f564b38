#include <gtest/gtest.h>

#include <map>
#include <set>

#include "collective/player.hpp"
#include "collective/roce_carrier.hpp"
#include "collective/schedule.hpp"
#include "transport/roce/fleet_fixture.hpp"

namespace peerpath::collective {
namespace {

using namespace std::chrono_literals;

TEST(Schedule, ARingSendsTwiceNMinusOneNthsOfTheDataByEveryRank) {
  std::map<std::uint32_t, std::int64_t> sent;
  const auto schedule = ring_all_reduce(8, Bytes{8'000});
  for (const auto& s : schedule) {
    EXPECT_EQ(s.to, (s.from + 1) % 8);
    sent[s.from] += s.bytes.count();
  }
  for (const auto& [rank, bytes] : sent) EXPECT_EQ(bytes, 2 * 7 * 1000) << rank;
}

/// Holds the sums of what each rank contributed to each part, as sets of ranks.
TEST(Schedule, AfterARingEveryRankHasTheSumOfAllParts) {
  const std::uint32_t n = 5;
  const auto schedule = ring_all_reduce(n, Bytes{5'000});
  std::vector<std::vector<std::set<std::uint32_t>>> held(n, std::vector<std::set<std::uint32_t>>(n));
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t p = 0; p < n; ++p) held[r][p] = {r};
  for (std::uint32_t i = 0; i < schedule.size(); ++i) {
    const auto& s = schedule[i];
    const auto step = i / n;
    const auto part = (s.from + 2 * n * n - step) % n;
    if (s.after != Send::at_once) {
      EXPECT_LT(s.after, i);
      EXPECT_EQ(schedule[s.after].to, s.from);
    }
    if (step < n - 1)
      held[s.to][part].insert(held[s.from][part].begin(), held[s.from][part].end());
    else
      held[s.to][part] = held[s.from][part];
  }
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t p = 0; p < n; ++p) EXPECT_EQ(held[r][p].size(), n) << r << ' ' << p;
}

TEST(Schedule, SlicesCarryTheSameBytesAndWaitForThemselvesOnly) {
  const auto whole = ring_all_reduce(4, Bytes{4'001});
  const auto sliced = in_slices(whole, 3);
  ASSERT_EQ(sliced.size(), 3 * whole.size());
  std::int64_t before = 0, after = 0;
  for (const auto& s : whole) before += s.bytes.count();
  for (std::uint32_t i = 0; i < sliced.size(); ++i) {
    after += sliced[i].bytes.count();
    if (sliced[i].after != Send::at_once) {
      EXPECT_EQ(sliced[i].after / whole.size(), i / whole.size());
    }
  }
  EXPECT_EQ(before, after);
}

TEST(Schedule, AllToAllSendsToEachOtherOnceAndKeepsItsWindow) {
  const auto schedule = all_to_all(6, Bytes{600}, 2);
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& s : schedule) {
    EXPECT_TRUE(pairs.emplace(s.from, s.to).second);
    EXPECT_NE(s.from, s.to);
    if (s.after != Send::at_once) {
      EXPECT_EQ(schedule[s.after].from, s.from);
    }
  }
  EXPECT_EQ(pairs.size(), 30u);
}

Duration play(const Schedule& schedule, int ranks, int qps, QpUse use, int admitted = 0) {
  roce::testing::Rig rig{roce::testing::star(ranks, BitRate{400'000'000'000}), {}, {}};
  std::vector<roce::HostIndex> hosts;
  for (int r = 0; r < ranks; ++r) hosts.push_back(static_cast<roce::HostIndex>(r));
  Player player{over(rig.fleet), schedule, hosts, {.qps = qps, .use = use, .admitted = admitted}};
  rig.fleet.message = [&](roce::QpIndex qp, const roce::Packet& last, Instant now) {
    player.arrived(qp, last.immediate, now);
  };
  rig.fleet.completed = [&](roce::QpIndex qp, const roce::Completion& completion, Instant, Instant now) {
    if (completion.status == roce::WorkStatus::success)
      player.acknowledged(qp, static_cast<std::uint32_t>(completion.id), now);
  };
  player.start(Instant{});
  rig.network.run(Instant{100ms});
  EXPECT_TRUE(player.over());
  return player.ended() - Instant{};
}

TEST(Player, ClearedByTheReceiverAllStillArrivesAndCostsARoundTripAtMostWhereTwoAreAdmitted) {
  const auto schedule = all_to_all(8, Bytes{8'000'000}, 7);
  const auto free = play(schedule, 8, 1, QpUse::round_robin), two = play(schedule, 8, 2, QpUse::split, 2),
             one = play(schedule, 8, 1, QpUse::round_robin, 1);
  EXPECT_LT(two, free * 11 / 10);
  EXPECT_GT(one, two);  // a round trip for each message
  EXPECT_LT(one, free * 13 / 10);
}

TEST(Player, ARingOnOneSwitchTakesItsBytesOverTheWireAndALatencyAStep) {
  for (const auto use : {QpUse::round_robin, QpUse::split}) {
    const auto took = play(ring_all_reduce(8, Bytes{8 << 20}), 8, 4, use);
    // 14 steps of 1 MiB at 400 Gb/s less headers, and a way of some 2 us each.
    const double bytes = 14.0 * (1 << 20) * 8 / (400.0 * 4096 / 4178) * 1e6;
    EXPECT_GT(static_cast<double>(took.count()), bytes);
    EXPECT_LT(static_cast<double>(took.count()), bytes + 14 * 2.5e9);
  }
}

TEST(Player, AllToAllOnOneSwitchIsWithinAFifthOfItsBytesOverTheWire) {
  const auto took = play(all_to_all(8, Bytes{8 << 20}, 8), 8, 1, QpUse::round_robin);
  const double bytes = 7.0 * (1 << 20) * 8 / (400.0 * 4096 / 4178) * 1e6;
  EXPECT_GT(static_cast<double>(took.count()), bytes);
  EXPECT_LT(static_cast<double>(took.count()), bytes * 1.2);
}

}  // namespace
}  // namespace peerpath::collective
