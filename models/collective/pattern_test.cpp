#include "collective/pattern.hpp"

#include <gtest/gtest.h>

#include <map>

#include "collective/server_rig.hpp"
#include "collective/token_sizes.hpp"

namespace peerpath::collective {
namespace {

using namespace std::chrono_literals;
using testing::play_on_servers;

constexpr Duration latency = 2us;
constexpr BitRate rate{400'000'000'000};

/// All ranks on one switch: a message takes a latency and its bytes at the rate, and ports take one at a time, so that
/// closed forms with alpha and beta hold to the last femtosecond.
Duration play(const Pattern& p) {
  return play_on_servers(schedule_of(p), p.ranks, {static_cast<int>(p.ranks), rate, latency}, latency).took;
}
Duration beta(std::int64_t bytes) { return Bytes{bytes} / rate; }

TEST(Pattern, RingsTakeWhatThakurRabenseifnerAndGroppSay) {
  for (const std::uint32_t n : {2u, 5u, 16u}) {
    const std::int64_t bytes = 1000 * n;
    const auto step = latency + beta(1000);
    EXPECT_EQ(play({.kind = Exchange::all_reduce, .ranks = n, .bytes = Bytes{bytes}}), step * (2 * (n - 1)));
    EXPECT_EQ(play({.kind = Exchange::all_gather, .ranks = n, .bytes = Bytes{bytes}}), step * (n - 1));
    EXPECT_EQ(play({.kind = Exchange::reduce_scatter, .ranks = n, .bytes = Bytes{bytes}}), step * (n - 1));
  }
}

TEST(Pattern, ChainsAndStraightWaysTakeTheirMessages) {
  const std::int64_t bytes = 80'000;
  for (const auto kind : {Exchange::broadcast, Exchange::reduce})
    EXPECT_EQ(play({.kind = kind, .ranks = 8, .bytes = Bytes{bytes}, .root = 3}), (latency + beta(bytes)) * 7);
  EXPECT_EQ(play({.kind = Exchange::gather, .ranks = 8, .bytes = Bytes{bytes}, .root = 3}),
            latency + beta(bytes / 8) * 7);
  EXPECT_EQ(play({.kind = Exchange::scatter, .ranks = 8, .bytes = Bytes{bytes}, .root = 3, .window = 8}),
            latency + beta(bytes / 8) * 7);
}

TEST(Pattern, BinomialTreesTakeLgNRounds) {
  const Bytes bytes{80'000};
  const auto tree = [&](Exchange kind) {
    return play({.kind = kind, .algorithm = Algorithm::tree, .ranks = 8, .bytes = bytes, .root = 5});
  };
  // A parent hears of one child's message, a latency after its arrival, before it sends the next one.
  EXPECT_EQ(tree(Exchange::broadcast), (latency + beta(80'000)) * 3 + latency * 2);
  EXPECT_EQ(tree(Exchange::scatter), latency * 3 + beta(70'000) + latency * 2);
  // All leaves send at once, and a parent's port takes in one after another.
  EXPECT_EQ(tree(Exchange::gather), latency * 3 + beta(70'000));
  EXPECT_EQ(tree(Exchange::reduce), latency * 3 + beta(80'000) * 3);
}

/// Bytes from rank to rank, of messages.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> by_pair(const Schedule& schedule) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> out;
  for (const auto& s : schedule)
    if (s.from != s.to) out[{s.from, s.to}] += s.bytes.count();
  return out;
}

TEST(Pattern, WhatHasARootBringsEveryRankItsOwnForAnyNumberOfRanks) {
  for (const std::uint32_t n : {2u, 3u, 6u, 11u, 16u})
    for (const auto algorithm : {Algorithm::ring, Algorithm::tree})
      for (const auto kind : {Exchange::gather, Exchange::scatter}) {
        const Pattern p{.kind = kind, .algorithm = algorithm, .ranks = n, .bytes = Bytes{100 * n + 7}, .root = n / 2};
        std::map<std::uint32_t, std::int64_t> kept;  // by rank: what came less what went on
        for (const auto& [pair, bytes] : by_pair(schedule_of(p))) {
          kept[kind == Exchange::scatter ? pair.second : pair.first] += bytes;
          kept[kind == Exchange::scatter ? pair.first : pair.second] -= bytes;
        }
        for (std::uint32_t r = 0; r < n; ++r) {
          const auto all = r == p.root ? p.bytes.count() : 0;
          EXPECT_EQ(kept[r], part(p.bytes, n, r).count() - all);
        }
        EXPECT_GT(play(p), Duration{});
      }
}

TEST(Pattern, AlltoAllvSendsEachPairItsBytesAndTakesItsBusiestPort) {
  const std::uint32_t n = 6;
  std::vector<Bytes> sizes;
  for (std::uint32_t i = 0; i < n * n; ++i) sizes.push_back(Bytes{i % 5 == 0 ? 0 : std::int64_t{i} * 1000});
  Pattern p{.kind = Exchange::all_to_all, .ranks = n, .bytes = Bytes{1}, .window = n, .sizes = sizes};
  const auto schedule = schedule_of(p);
  auto sent = by_pair(schedule);
  std::int64_t most = 0;
  for (std::uint32_t a = 0; a < n; ++a) {
    std::int64_t out = 0, in = 0;
    for (std::uint32_t b = 0; b < n; ++b) {
      if (a == b) continue;
      EXPECT_EQ((sent[{a, b}]), sizes[a * n + b].count());
      out += sizes[a * n + b].count();
      in += sizes[b * n + a].count();
    }
    most = std::max({most, out, in});
  }
  EXPECT_EQ(busiest(schedule, {0, 1, 2, 3, 4, 5}).count(), most);
  EXPECT_EQ(busiest(schedule, {0, 0, 0, 0, 0, 0}).count(), 0);
  for (const auto& s : schedule) EXPECT_GT(s.bytes, Bytes{});
  const auto took = play(p);
  EXPECT_GE(took, latency + beta(most));
  EXPECT_LE(took, (latency + beta(most)) * 2);
  // Of equal sizes it is the AlltoAll.
  p.sizes = equal_sizes(n, Bytes{6000});
  const Pattern equal{.kind = Exchange::all_to_all, .ranks = n, .bytes = Bytes{6000}, .window = n};
  EXPECT_EQ(play(p), play(equal));
  EXPECT_EQ(play(equal), latency + beta(5000));
}

TEST(Tokens, GoSomewhereEachAndToAskedExpertsByZipf) {
  const std::uint32_t n = 64, each = 4096;
  for (const int skew : {0, 1, 2}) {
    const auto sizes = token_sizes(n, {.token = Bytes{100}, .each = each, .skew = skew, .seed = 7});
    std::vector<double> of_expert(n);
    for (std::uint32_t from = 0; from < n; ++from) {
      std::int64_t row = 0;
      for (std::uint32_t to = 0; to < n; ++to) {
        row += sizes[from * n + to].count();
        of_expert[to] += static_cast<double>(sizes[from * n + to].count()) / (100.0 * each * n);
      }
      EXPECT_EQ(row, 100 * each);
    }
    double sum = 0;
    for (int k = 1; k <= 64; ++k) sum += 1.0 / (skew == 0 ? 1 : skew == 1 ? k : k * k);
    EXPECT_NEAR(*std::ranges::max_element(of_expert), 1 / sum, 0.05 / sum);
  }
  const Tokens tokens{.token = Bytes{100}, .each = 50, .seed = 7};
  auto other = tokens;
  other.seed = 8;
  EXPECT_EQ(token_sizes(n, tokens), token_sizes(n, tokens));
  EXPECT_NE(token_sizes(n, tokens), token_sizes(n, other));
}

}  // namespace
}  // namespace peerpath::collective
