// Credits that come back by several ways, against a plain list of returns.
#include "fabric/engine/credit_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "peerpath/base/random.hpp"

namespace peerpath::fabric::engine {
namespace {

TEST(CreditLoop, OneWayGivesThemBackInOrder) {
  CreditLoop loop{{.header = 2, .data = 0}, 1};
  loop.take(2, 4);
  loop.give(0, 100, 10, 2, 4);
  EXPECT_EQ(loop.covered_at(4).when, 100);
  EXPECT_TRUE(loop.covered_at(4).final);
  loop.fold(105);
  EXPECT_EQ(loop.covered(9, 4), 1);
}

TEST(CreditLoop, ReturnsWaitWhileWhatIsInHandWillDo) {
  CreditLoop loop{{.header = 4, .data = 0}, 1};
  loop.take(2, 4);
  loop.give(0, 100, 10, 2, 4);
  loop.fold_for(2, 4, 200);
  EXPECT_EQ(loop.covered(9, 4), 2);
  loop.fold_for(3, 4, 105);
  EXPECT_EQ(loop.covered(9, 4), 3);
}

TEST(CreditLoop, ReturnsDoNotGatherWhereHeadersAreUnlimited) {
  CreditLoop loop{{.header = 0, .data = 8}, 1};
  loop.take(1, 4);
  loop.give(0, 100, 0, 1, 4);
  loop.fold_for(1, 4, 200);
  EXPECT_EQ(loop.covered(9, 4), 2);
}

TEST(CreditLoop, AnotherWayMayBeSooner) {
  CreditLoop loop{{.header = 2, .data = 0}, 2};
  loop.take(2, 4);
  loop.wait_for(0);
  loop.wait_for(1);
  loop.give(0, 100, 0, 1, 4);
  loop.wait_no_more(0);
  EXPECT_EQ(loop.covered_at(4).when, 100);
  EXPECT_FALSE(loop.covered_at(4).final) << "the TLP that waits for the other way may leave before";
  loop.give(1, 60, 0, 1, 4);
  loop.wait_no_more(1);
  EXPECT_EQ(loop.covered_at(4).when, 60);
  EXPECT_TRUE(loop.covered_at(4).final);
}

TEST(CreditLoop, IsFinalIfTheWayThatWaitsGivesBackLater) {
  CreditLoop loop{{.header = 2, .data = 0}, 2};
  loop.take(2, 4);
  loop.wait_for(0);
  loop.give(0, 100, 0, 1, 4);
  EXPECT_TRUE(loop.covered_at(4).final) << "of one way the next is never sooner";
}

TEST(CreditLoop, OnlyTheReturnsOfTheirOwnWayPaceThem) {
  CreditLoop loop{{.header = 3, .data = 0}, 2};
  loop.take(2, 4);
  loop.give(0, 100, 20, 2, 4);
  EXPECT_EQ(loop.pace(0, 4, 80, 10).count, 2);
  EXPECT_EQ(loop.pace(0, 4, 80, 10).spacing, 20);
  EXPECT_EQ(loop.pace(1, 4, 80, 10).count, 0) << "their own may be back before";
}

/// Returns one by one, as a plain list.
struct Plain {
  std::int64_t headers, data;
  std::vector<std::pair<Femto, int>> returns;

  Femto covered_at(int units) const {
    auto sorted = returns;
    std::ranges::stable_sort(sorted, {}, &std::pair<Femto, int>::first);
    std::int64_t h = headers, d = data;
    if (h > 0 && d >= units) return 0;
    for (const auto& [when, freed] : sorted) {
      ++h;
      d += freed;
      if (h > 0 && d >= units) return when;
    }
    return unknown_time;
  }
};

TEST(CreditLoop, CoversWhenAPlainListDoes) {
  Random random{7, "credits"};
  for (int round = 0; round < 2000; ++round) {
    CreditLoop loop{{.header = 4, .data = 32}, 3};
    Plain plain{4, 32, {}};
    Femto now = 0;
    std::vector<Femto> last(3, 0);
    for (int step = 0; step < 20; ++step) {
      const int units = static_cast<int>(random.below(9));
      if (loop.covers(units)) {
        loop.take(1, units);
        plain.headers -= 1;
        plain.data -= units;
        const auto stream = static_cast<std::size_t>(random.below(3));
        const Femto first = std::max(last[stream], now) + 1 + static_cast<Femto>(random.below(50));
        loop.give(static_cast<int>(stream), first, 0, 1, units);
        last[stream] = first;
        plain.returns.emplace_back(first, units);
      }
      const int asked = static_cast<int>(random.below(12));
      ASSERT_EQ(loop.covered_at(asked).when, plain.covered_at(asked)) << "round " << round << ", step " << step;
      now += static_cast<Femto>(random.below(20));
      loop.fold(now);
      std::erase_if(plain.returns, [&](const auto& one) {
        if (one.first > now) return false;
        ++plain.headers;
        plain.data += one.second;
        return true;
      });
    }
  }
}

}  // namespace
}  // namespace peerpath::fabric::engine
