#include "collective/hierarchical.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "collective/server_rig.hpp"

namespace peerpath::collective {
namespace {

using namespace std::chrono_literals;
using testing::play_on_servers;

constexpr Duration inside = 600ns, between = 5us;
constexpr BitRate nvlink{3'600'000'000'000};
Duration on_nvlink(std::int64_t bytes) { return Bytes{bytes} / nvlink; }

ServerConfig links_of(Servers servers) { return {static_cast<int>(servers.gpus), nvlink, inside}; }

/// By message: the ranks whose data it can have, which are those of all that it waits for.
std::vector<std::set<std::uint32_t>> origins(const Schedule& schedule) {
  std::vector<std::set<std::uint32_t>> out;
  for (const auto& s : schedule) {
    std::set<std::uint32_t> of{s.from};
    for (const auto cause : {s.after, s.also})
      if (cause != Send::at_once) of.insert(out[cause].begin(), out[cause].end());
    out.push_back(std::move(of));
  }
  return out;
}

TEST(Hierarchical, APartGoesRoundItsRailAndRoundTheGpusOfTheLastServer) {
  for (const Servers servers : {Servers{2, 2}, Servers{4, 8}, Servers{1, 8}, Servers{3, 5}}) {
    const auto n = servers.count, g = servers.gpus;
    const std::int64_t bytes = 7'000 * n * g;
    const auto gather =
        play_on_servers(hierarchical_all_gather(servers, Bytes{bytes}), servers.ranks(), links_of(servers), between);
    // The other parts are on their way in the meantime.
    EXPECT_EQ(gather.took, (inside + on_nvlink(7'000)) * (g - 1) + between * (n - 1));
    EXPECT_EQ(gather.outside.count(), bytes * (n - 1));
    const auto scatter = play_on_servers(hierarchical_reduce_scatter(servers, Bytes{bytes}), servers.ranks(),
                                         links_of(servers), between);
    EXPECT_EQ(scatter.took, gather.took);
    EXPECT_EQ(scatter.outside, gather.outside);
    const auto both = play_on_servers(hierarchical_all_reduce(servers, Bytes{bytes}, false), servers.ranks(),
                                      links_of(servers), between);
    EXPECT_EQ(both.took, gather.took * 2);
    // Each NIC sends 2 (n - 1) / n of its g-th.
    EXPECT_EQ(both.outside.count(), bytes * 2 * (n - 1));
  }
}

TEST(Hierarchical, AReduceScatterIsAnAllGatherBackwards) {
  const Servers servers{3, 4};
  const Bytes bytes{1'000'003};
  const auto gather = hierarchical_all_gather(servers, bytes, 1, Order::as_they_come);
  const auto scatter = hierarchical_reduce_scatter(servers, bytes);
  ASSERT_EQ(gather.size(), scatter.size());
  std::vector<std::set<std::uint32_t>> waiting(gather.size());  // by message of the AllGather: its waiters
  for (std::uint32_t i = 0; i < gather.size(); ++i)
    for (const auto cause : {gather[i].after, gather[i].also})
      if (cause != Send::at_once) waiting[cause].insert(i);
  const auto last = static_cast<std::uint32_t>(gather.size() - 1);
  for (std::uint32_t i = 0; i <= last; ++i) {
    const auto& there = gather[i];
    const auto& back = scatter[last - i];
    EXPECT_EQ(there.from, back.to);
    EXPECT_EQ(there.to, back.from);
    EXPECT_EQ(there.bytes, back.bytes);
    std::set<std::uint32_t> causes;
    for (const auto cause : {back.after, back.also})
      if (cause != Send::at_once) causes.insert(last - cause);
    EXPECT_EQ(causes, waiting[i]);
  }
}

TEST(Hierarchical, EveryRankSendsAndGetsTheSameBytesInAnySlices) {
  const Servers servers{3, 4};
  const Bytes bytes{1'000'003};
  const auto sums = [&](const Schedule& schedule) {
    std::vector<std::int64_t> net(servers.ranks());  // what came less what went
    std::int64_t all = 0;
    for (const auto& s : schedule) {
      net[s.to] += s.bytes.count();
      net[s.from] -= s.bytes.count();
      all += s.from == s.to ? 0 : s.bytes.count();
    }
    return std::pair{net, all};
  };
  for (const std::uint32_t slices : {1u, 2u, 8u})
    for (const auto order : {Order::farthest_first, Order::as_they_come}) {
      // All bytes come to all ranks but their own, and of a sum each rank's share stays.
      EXPECT_EQ(sums(hierarchical_all_gather(servers, bytes, slices, order)).second, bytes.count() * 11);
      EXPECT_EQ(sums(hierarchical_reduce_scatter(servers, bytes, slices)).second, bytes.count() * 11);
      const auto both = sums(hierarchical_all_reduce(servers, bytes, false, slices, order));
      EXPECT_EQ(both.second, bytes.count() * 22);
      EXPECT_EQ(both.first, std::vector<std::int64_t>(servers.ranks()));
    }
}

TEST(Hierarchical, WhatGoesRoundLastHasTheDataOfAllRanks) {
  for (const Servers servers : {Servers{2, 2}, Servers{4, 8}, Servers{5, 3}})
    for (const bool trees : {false, true}) {
      const auto schedule = hierarchical_all_reduce(servers, Bytes{100'000}, trees);
      const auto of = origins(schedule);
      std::size_t messages = 0;
      for (std::size_t i = schedule.size(); i-- > 0 && messages < servers.ranks() * (servers.gpus - 1);) {
        if (schedule[i].from == schedule[i].to) continue;
        ++messages;
        EXPECT_EQ(of[i].size(), servers.ranks()) << i;
      }
      const auto took = play_on_servers(schedule, servers.ranks(), links_of(servers), between);
      EXPECT_GT(took.took, between * (trees ? 2 : 2 * (servers.count - 1)));
    }
}

TEST(Hierarchical, TimesInsideAndBetweenAreToldApart) {
  const Servers servers{4, 8};
  const std::int64_t bytes = 8 * 4 * 7'000;
  const auto took =
      play_on_servers(hierarchical_all_reduce(servers, Bytes{bytes}, false), 32, links_of(servers), between);
  // Four parts go round one behind the other, and then each by itself as it comes, faster than between servers. A rank
  // hears of a message a latency after its arrival, when its next one of that round is on the way already.
  EXPECT_EQ(took.use.inside / 32, (inside + on_nvlink(7'000)) * 35 + on_nvlink(7'000) * 3 + inside * 5);
  EXPECT_EQ(took.use.between / 32, between * 6 + between);
}

TEST(Hierarchical, AnAllToAllStaysOnItsRailsAndBringsEachPairItsBytes) {
  const Servers servers{3, 4};
  const auto ranks = servers.ranks(), g = servers.gpus;
  std::vector<Bytes> sizes;
  for (std::uint32_t i = 0; i < ranks * ranks; ++i) sizes.push_back(Bytes{i % 7 == 0 ? 0 : 1000 + i});
  const auto schedule = rail_all_to_all(servers, sizes, 2);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sent;
  for (const auto& s : schedule) sent[{s.from, s.to}] += s.bytes.count();
  for (std::uint32_t a = 0; a < ranks; ++a)
    for (std::uint32_t b = 0; b < ranks; ++b) {
      if (a == b) continue;
      std::int64_t wanted = 0;
      if (a / g == b / g) {  // its own, and what it has for b's rail elsewhere
        wanted = sizes[a * ranks + b].count();
        for (std::uint32_t to = b % g; to < ranks; to += g)
          if (to / g != a / g) wanted += sizes[a * ranks + to].count();
      } else if (a % g == b % g) {  // what all of its server have for b
        for (std::uint32_t from = a / g * g; from < a / g * g + g; ++from) wanted += sizes[from * ranks + b].count();
      }
      EXPECT_EQ((sent[{a, b}]), wanted) << a << " to " << b;
    }
  const auto took = play_on_servers(schedule, ranks, links_of(servers), between);
  EXPECT_GT(took.took, between);
}

TEST(ServerLinks, AMessageWithALowerNumberInterruptsOthers) {
  const ServerConfig one{3, nvlink, inside};
  const std::int64_t small = 9'000, large = 900'000;  // 2 us
  // Rank 0 sends the large message when the small one comes, that it passes on at once, so that rank 2 does too.
  const Schedule schedule{{1, 0, Bytes{small}}, {0, 2, Bytes{small}, 0}, {2, 1, Bytes{large}, 1}, {0, 2, Bytes{large}}};
  EXPECT_EQ(play_on_servers(schedule, 3, one, between).took, inside * 3 + on_nvlink(small) * 2 + on_nvlink(large));
  // The large one goes on afterwards.
  EXPECT_EQ(play_on_servers({schedule[0], schedule[1], {0, 2, Bytes{large}}}, 3, one, between).took,
            inside + on_nvlink(small + large));
}

TEST(ServerLinks, APortTakesOneMessageAtATimeBothWaysAtOnce) {
  const ServerConfig one{4, nvlink, inside};
  // Two to one rank share its port; one each way do not.
  EXPECT_EQ(play_on_servers({{0, 2, Bytes{9000}}, {1, 2, Bytes{9000}}}, 4, one, between).took,
            inside + on_nvlink(18'000));
  EXPECT_EQ(play_on_servers({{0, 1, Bytes{9000}}, {1, 0, Bytes{9000}}}, 4, one, between).took,
            inside + on_nvlink(9000));
  EXPECT_EQ(play_on_servers({{0, 1, Bytes{9000}}, {0, 2, Bytes{9000}}}, 4, one, between).took,
            inside + on_nvlink(18'000));
  // Ranks 3 and 4 are of two servers.
  EXPECT_EQ(play_on_servers({{3, 4, Bytes{9000}}}, 8, one, between).took, between);
}

}  // namespace
}  // namespace peerpath::collective
