// Routes, rates, credits and bit errors that change under way, at times computed by hand: 64 B of data at address 0
// take 76 ns, a read request or a completion without data 12 ns.
#include <gtest/gtest.h>

#include "fabric/test_pair.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;
using pcie::RouteKind;

/// What comes from `a` for `b` ends at `c`.
struct Astray : Pair {
  explicit Astray(RouteKind kind) {
    t.strays = true;
    const LinkId in{static_cast<std::uint16_t>(is_completion(kind) ? 1 : 0)};
    go().set_route({node, in, kind, is_completion(kind) ? a : b, LinkId{2}});
  }
};

TEST(Faults, AWriteThatGoesAstrayArrivesAsUnsupported) {
  Astray p{RouteKind::request};
  p.fabric->submit(p.a, own, p.write(64_B));
  p.finish();
  EXPECT_EQ(p.starts(2, 1), Times{110});
  EXPECT_EQ(p.done(), Times{110 + 76 + 10});
  EXPECT_EQ(p.deliveries.at(0).status, Status::unsupported_request);
  EXPECT_EQ(p.deliveries.at(0).target, p.b);
}

TEST(Faults, WhoRefusesAWriteDoesNotLookForPoison) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    Pair p;
    p.t.strays = true;
    const auto fabric = make_fabric(p.t, p, mode);
    fabric->set_route({p.node, LinkId{0}, RouteKind::request, p.b, LinkId{2}});
    auto bad = p.write(64_B);
    bad.answer = Status::poisoned;
    fabric->submit(p.a, own, bad);
    fabric->advance(at(10us));
    ASSERT_EQ(p.deliveries.size(), 1U);
    EXPECT_EQ(p.deliveries[0].status, Status::unsupported_request) << name_of(mode);
  }
}

TEST(Faults, AReadThatGoesAstrayIsAnsweredByWhereItEnds) {
  Astray p{RouteKind::request};
  p.fabric->submit(p.a, own, p.read(64_B));
  p.finish();
  EXPECT_EQ(p.starts(2, 0), Times{110 + 12 + 10});
  EXPECT_EQ(p.done(), Times{132 + 110 + 12 + 10});
  EXPECT_EQ(p.deliveries.at(0).status, Status::unsupported_request);
}

TEST(Faults, ARequestWhoseCompletionGoesAstrayTimesOut) {
  Astray p{RouteKind::completion};
  p.fabric->submit(p.a, own, p.read(64_B));
  p.finish();
  EXPECT_EQ(p.starts(2, 1), Times{132 + 110});
  EXPECT_EQ(p.done(), Times{242 + 76 + 10 + 5000});
  EXPECT_EQ(p.deliveries.at(0).status, Status::no_answer);
}

TEST(Faults, KindsOfTlpsGoTheirOwnWays) {
  Astray p{RouteKind::translated_request};
  p.fabric->submit(p.a, own, p.write(64_B));
  Transaction translated = p.write(64_B, 1us);
  translated.translated = true;
  p.fabric->submit(p.a, own, translated);
  p.finish();
  EXPECT_EQ(p.starts(1, 1), Times{110});
  EXPECT_EQ(p.starts(2, 1), Times{1110});
}

TEST(Faults, TranslationRequestsGoTheWayOfTranslatedOnes) {
  Astray p{RouteKind::translated_request};
  Transaction translation = p.read(8_B);
  translation.translation = true;
  p.fabric->submit(p.a, own, translation);
  p.finish();
  EXPECT_TRUE(p.starts(1, 1).empty());
  EXPECT_EQ(p.starts(2, 1).size(), 1U);
  EXPECT_TRUE(p.deliveries.at(0).translation);
}

TEST(Faults, AStruckTlpIsReplayedAfterItsRecovery) {
  Pair p;
  p.up(0).replay_delay = 30ns;
  p.go().strike(LinkId{0}, 0);
  p.fabric->submit(p.a, own, p.write(64_B));
  p.fabric->submit(p.a, own, p.write(64_B));
  p.finish();
  EXPECT_EQ(p.starts(0, 0), (Times{76 + 30, 106 + 76}));
  EXPECT_EQ(p.done(), (Times{106 + 110 + 76 + 10, 182 + 110 + 76 + 10}));
  const auto counters = p.fabric->counters(LinkId{0}, 0);
  EXPECT_EQ(counters.replays, 1);
  EXPECT_EQ(counters.replaying, 106ns);
}

TEST(Faults, ARetrainedLinkSendsAtItsNewRate) {
  Pair p;
  p.go().advance(at(50ns));
  p.fabric->set_rate(LinkId{1}, 1, 16_Gbps);
  p.fabric->submit(p.a, own, p.write(64_B, 60ns));
  p.finish();
  EXPECT_EQ(p.starts(1, 1), Times{60 + 10 + (76 - 38) + 100});
  EXPECT_EQ(p.done(), Times{208 + 38 + 10});
}

TEST(Faults, ARetrainedLinkHasItsNewFramingAndDllps) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    Pair p;
    const auto fabric = make_fabric(p.t, p, mode);
    fabric->observe(&p);
    fabric->advance(at(50ns));
    fabric->set_timing(LinkId{1}, 1, {16_Gbps, 8_B, 300ns, 600ns});
    for (int i = 0; i < 4; ++i) fabric->submit(p.a, own, p.write(64_B, 60ns + i * 200ns));
    fabric->advance(at(10us));
    // 76 B and 8 B of framing at 2 B/ns; cut-through holds the first back until the tail has come
    const Times starts{60 + 10 + (76 - 42) + 100, 404, 604, 804};
    EXPECT_EQ(p.starts(1, 1), starts) << name_of(mode);
    EXPECT_EQ(fabric->counters(LinkId{1}, 1).tally(p.a, pcie::Purpose::payload).overhead, 4 * 20_B) << name_of(mode);
    // ACKs for the first and the third, UpdateFCs for the first and the fourth, 8 ns each on the way back
    EXPECT_EQ(fabric->counters(LinkId{1}, 0).dllps, 4) << name_of(mode);
    EXPECT_EQ(fabric->counters(LinkId{1}, 0).signalling, 32ns) << name_of(mode);
  }
}

TEST(Faults, TheTimeThatDllpsTakeIsThatOfTheRateAtWhichTheyWereSent) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    Pair p;
    p.down(1).ack_interval = 1ns;
    const auto fabric = make_fabric(p.t, p, mode);
    fabric->submit(p.a, own, p.write(64_B));
    fabric->advance(at(1us));
    fabric->set_rate(LinkId{1}, 0, 64_Gbps);
    fabric->submit(p.a, own, p.write(64_B, 1us));
    fabric->advance(at(10us));
    EXPECT_EQ(fabric->counters(LinkId{1}, 0).dllps, 2) << name_of(mode);
    EXPECT_EQ(fabric->counters(LinkId{1}, 0).signalling, 9ns) << name_of(mode);
  }
}

TEST(Faults, WhatTheLineIsStillToCarryIsKnown) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    Pair p;
    p.up(0).replay_delay = 30ns;
    const auto fabric = make_fabric(p.t, p, mode);
    fabric->strike(LinkId{0}, 0);
    for (int i = 0; i < 2; ++i) fabric->submit(p.a, own, p.write(64_B));
    for (const auto& [now, taken, ahead] :
         {std::tuple{50ns, 182ns, 132ns}, {200ns, 258ns, 58ns}, {300ns, 258ns, 0ns}}) {
      fabric->advance(at(now));
      const auto counters = fabric->counters(LinkId{0}, 0);
      EXPECT_EQ(counters.busy + counters.replaying, taken) << name_of(mode);
      EXPECT_EQ(counters.ahead, ahead) << name_of(mode);
    }
  }
}

TEST(Faults, ALinkThatDegradesAndRetrainsLosesNoPostedByte) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    Pair p;
    p.down(1).credits[0] = {4, 64};
    const auto fabric = make_fabric(p.t, p, mode);
    constexpr int writes = 200;
    for (int i = 0; i < writes; ++i) fabric->submit(p.a, own, p.write(256_B, i * 300ns));
    for (const auto& [down, up, rate] :
         {std::tuple{10us, 12us, 4_Gbps}, std::tuple{25us, 27us, 1_Gbps}, std::tuple{40us, 41us, 8_Gbps}}) {
      fabric->advance(at(down));
      fabric->set_link(LinkId{1}, false);
      fabric->advance(at(up));
      for (const int direction : {0, 1}) fabric->set_rate(LinkId{1}, direction, rate);
      fabric->set_link(LinkId{1}, true);
    }
    fabric->advance(at(10ms));
    ASSERT_EQ(p.deliveries.size(), std::size_t{writes}) << name_of(mode);
    for (const Delivery& d : p.deliveries) EXPECT_EQ(d.status, Status::success);
    for (const auto& [link, direction] : {std::pair{0, 0}, std::pair{1, 1}})
      EXPECT_EQ(fabric->counters(LinkId{static_cast<std::uint16_t>(link)}, direction)
                    .tally(p.a, pcie::Purpose::payload)
                    .payload,
                Bytes{256 * writes});
  }
}

TEST(Faults, LeakedCreditsAreGone) {
  Pair p;
  p.down(1).credits[0] = {2, 16};
  p.go().leak_credits(LinkId{1}, 1, pcie::TlpClass::posted, {1, 0});
  p.fabric->submit(p.a, own, p.write(256_B));
  p.finish();
  EXPECT_EQ(p.starts(1, 1), (Times{110, 110 + 140 + 10 + 50}));
}

}  // namespace
}  // namespace peerpath::fabric
