// What the fabric does is found to keep lines busy, and one changed record to be late, at times computed by hand.
#include "fabric/check/work_conservation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/test_pair.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;
using pcie::TlpClass;

/// When a TLP started and when it could have, in nanoseconds.
using Late = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// a, b and c below a switch below a root (link 3), and d below the root (link 4).
struct Passing : Pair {
  NodeId d;
  std::vector<Transaction> asked;

  Passing() {
    const NodeId root = t.add_router("root", {100ns});
    t.connect(node, root, line(), line());
    d = t.add_endpoint("d", endpoint(a));
    t.connect(root, d, line(), line());
  }
  LinkDirection& uplink() { return up(3); }
  void submit(NodeId from, NodeId to, Transaction transaction) {
    transaction.target = to;
    transaction.cookie = asked.size();
    asked.push_back(transaction);
    fabric->submit(from, own, transaction);
  }
  void finish() {
    Pair::finish();
    std::ranges::stable_sort(tlps, {}, &TlpRecord::start);
  }
  Late late() const {
    WorkConservation judge{t};
    Late all;
    for (const TlpRecord& tlp : tlps)
      if (const auto could = judge.late(tlp, asked[tlp.cookie])) all.push_back({ns(tlp.start), ns(*could)});
    return all;
  }
  /// Puts off one TLP of a class on a link.
  void delay(int link, int direction, TlpClass tlp_class, std::size_t skip) {
    for (TlpRecord& tlp : tlps) {
      if (tlp.link != LinkId{static_cast<std::uint16_t>(link)} || tlp.direction != direction ||
          tlp.tlp_class != tlp_class || skip-- != 0)
        continue;
      tlp.start += 1ns;
      tlp.end += 1ns;
      return;
    }
    FAIL() << "no such TLP";
  }
};

/// Two writes of which the uplink takes one at a time, and a read behind them.
struct Scarce : Passing {
  Scarce() {
    uplink().credits[0] = {1, 8};
    go();
    submit(a, d, write(256_B));
    submit(a, d, read(64_B));
    finish();
  }
};

TEST(WorkConservation, FindsNothingInWhatTheFabricDoes) {
  Passing p;
  for (auto& link : p.t.links)
    for (auto& direction : link.direction) {
      direction.credits = {{{2, 16}, {1, 3}, {2, 16}}};
      direction.ack_interval = 60ns;
      direction.fc_interval = 100ns;
    }
  p.go();
  for (const NodeId from : {p.a, p.c}) {
    p.submit(from, p.d, p.write(512_B));
    p.submit(from, p.b, p.write(300_B));
    p.submit(from, p.d, p.read(256_B));
  }
  p.submit(p.d, p.a, p.write(512_B, 200ns));
  p.finish();
  EXPECT_TRUE(WorkConservation::applies(p.t));
  EXPECT_GT(p.tlps.size(), 50U);
  EXPECT_EQ(p.late(), Late{});
}

TEST(WorkConservation, ATlpThatStartsThoughItsLineWasFreeBefore) {
  Passing p;
  p.go();
  p.submit(p.a, p.b, p.write(256_B));
  p.finish();
  EXPECT_EQ(p.late(), Late{});
  p.delay(1, 1, TlpClass::posted, 1);  // behind the first one, which has left at 110 + 140
  EXPECT_EQ(p.late(), (Late{{251, 250}}));
}

TEST(WorkConservation, ATlpWaitsForTheCreditsOfTheNextRouter) {
  Scarce p;
  EXPECT_EQ(p.starts(3, 0), (Times{110, 410, 550}));
  EXPECT_EQ(p.late(), Late{});
  // The first one has left the root at 220 + 140, and its credit is back 50 later.
  p.delay(3, 0, TlpClass::posted, 1);
  EXPECT_EQ(p.late(), (Late{{411, 410}}));
}

TEST(WorkConservation, ATlpThatWaitsThoughThereAreCredits) {
  Scarce p;
  p.uplink().credits[0] = {2, 16};
  EXPECT_EQ(p.late(), (Late{{410, 250}}));
}

TEST(WorkConservation, ARequestWaitsForThePostedBeforeIt) {
  Scarce p;
  p.delay(3, 0, TlpClass::non_posted, 0);
  EXPECT_EQ(p.late(), (Late{{551, 550}}));
}

TEST(WorkConservation, ATlpWaitsForADllp) {
  Passing p;
  p.up(0).ack_interval = 100ns;
  p.go();
  p.submit(p.a, p.b, p.write(128_B));       // arrives at the switch at 150, which sends an ACK of 8 then
  p.submit(p.b, p.a, p.write(64_B, 40ns));  // at the switch at 150
  p.finish();
  EXPECT_EQ(p.starts(0, 1), Times{158});
  EXPECT_EQ(p.late(), Late{});
  p.up(0).ack_interval = {};
  EXPECT_EQ(p.late(), (Late{{158, 150}}));
}

TEST(WorkConservation, JudgesNoDomainWithWeightsErrorsOrStrays) {
  Passing p;
  EXPECT_TRUE(WorkConservation::applies(p.t));
  p.up(0).bits_per_error = 1000;
  EXPECT_FALSE(WorkConservation::applies(p.t));
  p.up(0).bits_per_error = 0;
  p.t.weights.push_back({p.node, LinkId{0}, LinkId{1}, 2});
  EXPECT_FALSE(WorkConservation::applies(p.t));
  p.t.weights.clear();
  p.t.strays = true;
  EXPECT_FALSE(WorkConservation::applies(p.t));
}

}  // namespace
}  // namespace peerpath::fabric
