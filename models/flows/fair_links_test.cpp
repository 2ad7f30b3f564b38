#include "flows/fair_links.hpp"

#include <gtest/gtest.h>

#include <map>

namespace peerpath::flows {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr std::array rates{100_Gbps, 10_Gbps};

struct LinksRig {
  FairLinks links{rates};
  std::map<FlowIndex, Instant> over{};
  LinksRig() {
    links.ended = [this](FlowIndex flow, Instant now) { over[flow] = now; };
  }
};

TEST(FairLinks, TwoThatShareALinkTakeTwiceAsLong) {
  LinksRig f;
  for (const FlowIndex flow : {0u, 1u}) f.links.start(flow, 0, Bytes{12'500'000});
  f.links.start(2, 1, Bytes{1'250'000});
  f.links.run(Instant{1s});
  EXPECT_EQ(f.over.at(0), Instant{2ms});
  EXPECT_EQ(f.over.at(1), Instant{2ms});
  EXPECT_EQ(f.over.at(2), Instant{1ms});
  EXPECT_TRUE(f.links.idle());
}

/// Alone for half its time, then with another: 0.5 + 1 ms; the other then has the link for itself.
TEST(FairLinks, OneThatComesLaterTakesHalfFromThenOn) {
  LinksRig f;
  f.links.woken = [&](std::uint64_t detail, Instant) {
    f.links.start(static_cast<FlowIndex>(detail), 0, Bytes{12'500'000});
  };
  f.links.wake(Instant{}, 0);
  f.links.wake(Instant{500us}, 1);
  f.links.run(Instant{1s});
  EXPECT_EQ(f.over.at(0), Instant{1500us});
  EXPECT_EQ(f.over.at(1), Instant{2ms});
}

TEST(FairLinks, AStoppedOneSaysWhatIsLeftAndGivesItsShareBack) {
  LinksRig f;
  Bytes left{};
  f.links.woken = [&](std::uint64_t, Instant) {
    left = f.links.stop(1);
    EXPECT_FALSE(f.links.flows(1));
    EXPECT_TRUE(f.links.flows(0));
  };
  for (const FlowIndex flow : {0u, 1u}) f.links.start(flow, 0, Bytes{12'500'000});
  f.links.wake(Instant{1ms}, 0);
  f.links.run(Instant{1s});
  EXPECT_EQ(left, Bytes{6'250'000});
  EXPECT_EQ(f.over.size(), 1u);
  EXPECT_EQ(f.over.at(0), Instant{1500us});
}

TEST(FairLinks, OneStartsTheNextUnderItsOwnNumber) {
  LinksRig f;
  int ends = 0;
  f.links.ended = [&](FlowIndex flow, Instant now) {
    EXPECT_EQ(now, Instant{1us} + ends * 1us);
    if (++ends < 5) f.links.start(flow, 0, Bytes{12'500});
  };
  f.links.start(7, 0, Bytes{12'500});
  f.links.run(Instant{3500ns});
  EXPECT_EQ(ends, 3);
  EXPECT_FALSE(f.links.idle());
  f.links.run(Instant{1s});
  EXPECT_EQ(ends, 5);
}

}  // namespace
}  // namespace peerpath::flows
