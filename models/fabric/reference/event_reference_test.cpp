// Each rule of README.md at times computed by hand. Lines run at 1 B/ns (8 Gb/s) without framing, so a TLP of n double
// words takes 4 n ns; propagation is 10 ns, a switch takes 100 ns, and 64 B of data at address 0 are 19 double words:
// 76 ns.
#include "fabric/reference/event_reference.hpp"

#include <gtest/gtest.h>

#include "fabric/test_pair.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;

TEST(EventReference, CutThroughAtEqualRates) {
  Pair p;
  p.go().submit(p.a, own, p.write(64_B, 7ns));
  p.finish();
  EXPECT_EQ(p.starts(0, 0), Times{7});
  EXPECT_EQ(p.starts(1, 1), Times{7 + 10 + 100});
  EXPECT_EQ(p.done(), Times{117 + 76 + 10});
}

TEST(EventReference, AFasterEgressWaitsForTheTail) {
  Pair p;
  p.down(1).rate = 16_Gbps;  // 38 ns instead of 76
  p.go().submit(p.a, own, p.write(64_B));
  p.finish();
  EXPECT_EQ(p.starts(1, 1), Times{10 + (76 - 38) + 100});
  EXPECT_EQ(p.done(), Times{148 + 38 + 10});
}

TEST(EventReference, ATransactionArrivesWithItsLastTlp) {
  Pair p;
  p.go().submit(p.a, own, p.write(256_B));  // two of 35 double words, 140 ns each
  p.finish();
  EXPECT_EQ(p.starts(0, 0), (Times{0, 140}));
  EXPECT_EQ(p.done(), Times{140 + 110 + 140 + 10});
}

TEST(EventReference, CreditsComeBackAfterTheTlpHasLeft) {
  Pair p;
  p.up(0).credits[0] = {1, 8};
  p.go().submit(p.a, own, p.write(256_B));
  p.finish();
  // The first leaves the switch at 110 + 140; its credit is usable 50 ns later.
  EXPECT_EQ(p.starts(0, 0), (Times{0, 300}));
  const auto counters = p.fabric->counters(LinkId{0}, 0);
  EXPECT_EQ(counters.queueing, 160ns);  // eligible at 140
  EXPECT_EQ(counters.credit_stall, 160ns);
  EXPECT_EQ(counters.busy, 280ns);
}

TEST(EventReference, DataCreditsStopALargeTlpWhereASmallOneWouldPass) {
  Pair p;
  p.up(0).credits[0] = {0, 9};
  auto& f = p.go();
  f.submit(p.a, own, p.write(128_B));
  f.submit(p.a, own, p.write(128_B));  // needs 8, 1 is left
  f.submit(p.a, second, p.write(16_B, 20ns));
  p.finish();
  EXPECT_EQ(p.starts(0, 0), (Times{0, 140, 300}));
  std::vector<Bytes> order;
  for (const TlpRecord& r : p.tlps)
    if (r.link == LinkId{0}) order.push_back(r.payload);
  EXPECT_EQ(order, (std::vector<Bytes>{128_B, 16_B, 128_B}));
}

TEST(EventReference, AnEndpointsCreditsComeBackWhenItHasTakenIn) {
  Pair p;
  p.down(1).credits[0] = {1, 8};
  p.endpoint(p.b).service[0] = {30ns, 8_Gbps};
  p.go().submit(p.a, own, p.write(256_B));
  p.finish();
  // Arrives at 110 + 140 + 10, is taken in 30 + 128 ns later, and the credit is usable 50 ns after that.
  EXPECT_EQ(p.starts(1, 1), (Times{110, 418 + 50}));
}

TEST(EventReference, RoundRobinGoesOnBehindTheWinner) {
  Pair p;
  auto& f = p.go();
  for (int i = 0; i < 2; ++i) f.submit(p.a, own, p.write(64_B));
  for (int i = 0; i < 2; ++i) f.submit(p.c, own, p.write(64_B));
  p.finish();
  // Both are at the switch at 110; the pointer begins at the port of a.
  EXPECT_EQ(p.starts(1, 1), (Times{110, 186, 262, 338}));
  std::vector<NodeId> order;
  for (const TlpRecord& r : p.tlps)
    if (r.link == LinkId{1}) order.push_back(r.requester);
  EXPECT_EQ(order, (std::vector<NodeId>{p.a, p.c, p.a, p.c}));
}

TEST(EventReference, AnArrivalAtTheInstantOfADecisionTakesPart) {
  Pair p;
  auto& f = p.go();
  f.submit(p.c, own, p.write(64_B));        // at the switch at 110, over at 186
  f.submit(p.c, own, p.write(64_B));        // at the switch at 186
  f.submit(p.a, own, p.write(64_B, 76ns));  // at the switch at 186 too; the pointer stands behind c
  p.finish();
  std::vector<NodeId> order;
  for (const TlpRecord& r : p.tlps)
    if (r.link == LinkId{1}) order.push_back(r.requester);
  EXPECT_EQ(order, (std::vector<NodeId>{p.c, p.a, p.c}));
}

TEST(EventReference, ANonPostedWaitsForThePostedBeforeIt) {
  Pair p;
  auto& f = p.go();
  f.submit(p.a, own, p.write(64_B, 100ns));
  f.submit(p.a, own, p.read(64_B));
  f.submit(p.a, second, p.read(64_B));  // another queue does not wait
  p.finish();
  EXPECT_EQ(p.starts(0, 0), (Times{0, 100, 176}));
  EXPECT_EQ(p.tlps[0].tlp_class, pcie::TlpClass::non_posted);
}

TEST(EventReference, PostedPassesANonPostedWithoutCredits) {
  Pair p;
  p.up(0).credits[1] = {1, 4};
  auto& f = p.go();
  f.submit(p.a, own, p.read(64_B));
  f.submit(p.a, own, p.read(64_B));
  f.submit(p.a, own, p.write(64_B, 1ns));
  p.finish();
  // The write goes at 12; the second read when the first has left the switch (110 + 12) and its credit is back.
  EXPECT_EQ(p.starts(0, 0), (Times{0, 12, 172}));
}

/// A completion from b meets a write from b that has no credits at the switch's egress towards a.
Times completion_behind_posted(bool relaxed, bool by_id) {
  Pair p;
  p.down(0).credits[0] = {1, 8};
  p.endpoint(p.a).service[0].per_tlp = 2us;
  auto& f = p.go();
  Transaction w = p.write(64_B);
  w.target = p.a;
  f.submit(p.b, own, w);
  f.submit(p.b, own, w);  // waits in the switch for the credit of the first until 110 + 76 + 10 + 2000 + 50
  Transaction r = p.read(64_B);
  r.relaxed_ordering = relaxed;
  r.id_based_ordering = by_id;
  f.submit(p.a, own, r);
  p.finish();
  Times all;
  for (const TlpRecord& t : p.tlps)
    if (t.link == LinkId{0} && t.direction == 1) all.push_back(ns(t.start));
  return all;
}

TEST(EventReference, ACompletionWaitsForThePostedBeforeIt) {
  EXPECT_EQ(completion_behind_posted(false, false), (Times{110, 2246, 2322}));
}

TEST(EventReference, ARelaxedCompletionPassesPosted) {
  // The request is taken in at 0 + 110 + 12 + 10 = 132; b's line is busy until 152; at the switch at 262.
  EXPECT_EQ(completion_behind_posted(true, false), (Times{110, 262, 2246}));
}

TEST(EventReference, ACompletionOrderedByIdStaysBehindPostedOfItsCompleter) {
  EXPECT_EQ(completion_behind_posted(false, true), (Times{110, 2246, 2322}));
}

TEST(EventReference, DllpsGoFirstAndAreCounted) {
  Pair p;
  p.up(0).ack_interval = 100ns;
  p.up(0).fc_interval = 1us;
  auto& f = p.go();
  f.submit(p.a, own, p.write(256_B));  // arrive at the switch at 150 and 290
  Transaction back = p.write(64_B, 40ns);
  back.target = p.a;
  f.submit(p.b, own, back);  // at the switch at 150
  p.finish();
  EXPECT_EQ(f.counters(LinkId{0}, 1).dllps, 3);  // ACK and UpdateFC at 150, ACK at 290
  EXPECT_EQ(f.counters(LinkId{0}, 0).dllps, 0);
  EXPECT_EQ(p.starts(0, 1), Times{150 + 8 + 8});
}

TEST(EventReference, AReadIsAnsweredInPieces) {
  Pair p;
  p.endpoint(p.b).read_latency = 200ns;
  p.endpoint(p.b).read_rate = 8_Gbps;
  p.endpoint(p.b).max_completion = 64_B;
  auto& f = p.go();
  Transaction r = p.read(128_B);
  r.notify_requester = true;
  f.submit(p.a, own, r);
  p.finish();
  // Request: at b at 110 + 12 + 10 = 132. Data: 332, then 64 ns a piece; each completion takes 12 + 64 = 76 ns.
  EXPECT_EQ(p.starts(1, 0), (Times{396, 472}));
  EXPECT_EQ(p.starts(0, 1), (Times{506, 582}));
  EXPECT_EQ(p.done(), Times{582 + 76 + 10});
  EXPECT_EQ(p.deliveries[0].kind, DeliveryKind::completed);
  EXPECT_EQ(p.deliveries[0].bytes, 128_B);
}

TEST(EventReference, OneTagMeansOneRequestAtATime) {
  Pair p;
  p.endpoint(p.a).tags = 1;
  auto& f = p.go();
  f.submit(p.a, own, p.read(256_B));  // two requests of 128 B
  p.finish();
  // The first is answered: at b at 132, 140 ns back on each link in cut-through: 132 + 110 + 140 + 10 = 392.
  EXPECT_EQ(p.starts(0, 0), (Times{0, 392}));
  EXPECT_EQ(p.done(), Times{784});
}

TEST(EventReference, JitterFollowsItsFormula) {
  Pair p;
  p.t.seed = 42;
  p.endpoint(p.b).read_jitter = 500ns;
  auto& f = p.go();
  f.submit(p.a, own, p.read(64_B));
  p.finish();
  const auto noise = mix(42 ^ mix(std::uint64_t{p.b.value()} << 32)) % 500'000'001;
  ASSERT_EQ(p.deliveries.size(), 1u);
  EXPECT_EQ(femtoseconds(p.deliveries[0].done), 132'000'000 + static_cast<std::int64_t>(noise) + 196'000'000);
}

TEST(EventReference, AnExternalEndpointIsAsked) {
  Pair p;
  p.endpoint(p.b).external = true;
  auto& f = p.go();
  f.submit(p.a, own, p.read(256_B));
  EXPECT_EQ(f.advance(at(1ms)), at(132ns));
  ASSERT_EQ(p.deliveries.size(), 1u);
  EXPECT_EQ(p.deliveries[0].kind, DeliveryKind::requested);
  EXPECT_EQ(p.deliveries[0].bytes, 128_B);
  f.respond(p.deliveries[0].request, at(1000ns), Status::success);
  EXPECT_EQ(f.advance(at(1ms)), at(144ns));
  f.respond(p.deliveries[1].request, at(500ns), Status::completer_abort);  // behind the first in channel 0
  p.finish();
  EXPECT_EQ(p.starts(1, 0), (Times{1000, 1140}));
  EXPECT_EQ(p.deliveries[2].status, Status::completer_abort);
  EXPECT_EQ(ns(p.deliveries[2].done), 1140 + 110 + 12 + 10);
}

TEST(EventReference, NoAnswerEndsWithTheTimeout) {
  Pair p;
  p.endpoint(p.a).tags = 1;
  auto& f = p.go();
  Transaction r = p.read(64_B, 3ns);
  r.answer = Status::no_answer;
  f.submit(p.a, own, r);
  f.submit(p.a, own, p.read(64_B));
  p.finish();
  EXPECT_EQ(p.starts(0, 0), (Times{3, 5003}));
  EXPECT_EQ(p.done()[0], 5003);
  EXPECT_EQ(p.deliveries[0].status, Status::no_answer);
  EXPECT_EQ(p.deliveries[1].status, Status::success);
}

TEST(EventReference, AnAtomicCarriesDataBothWays) {
  Pair p;
  auto& f = p.go();
  Transaction atomic = p.read(8_B);
  atomic.op = Operation::atomic;
  f.submit(p.a, own, atomic);
  p.finish();
  EXPECT_EQ(p.done(), Times{(110 + 20 + 10) + (110 + 20 + 10)});
}

TEST(EventReference, ADeadLinkHoldsWhatHasNotStarted) {
  Pair p;
  auto& f = p.go();
  f.submit(p.a, own, p.write(256_B));
  f.advance(at(50ns));
  f.set_link(LinkId{0}, false);
  EXPECT_EQ(f.advance(at(1us)), at(1us));
  f.set_link(LinkId{0}, true);
  p.finish();
  EXPECT_EQ(p.starts(0, 0), (Times{0, 1000}));
}

TEST(EventReference, ARouteHoldsForStartsAfterTheChange) {
  Pair p;
  const NodeId root = p.t.add_router("root", {100ns});
  const LinkId uplink = p.t.connect(p.node, root, line(), line());
  auto& f = p.go();
  f.submit(p.a, own, p.write(256_B));
  f.advance(at(50ns));
  f.set_route(
      {p.node, LinkId{0}, pcie::RouteKind::request, p.b, uplink});  // up to the root and down again: 220 ns more
  p.finish();
  EXPECT_EQ(p.starts(3, 0), Times{140 + 110});
  EXPECT_EQ(p.starts(1, 1), (Times{110, 140 + 330}));
  EXPECT_EQ(p.done(), Times{470 + 140 + 10});
}

TEST(EventReference, ANoticeBoundsTheAdvance) {
  Pair p;
  p.endpoint(p.b).reaction = 30ns;
  auto& f = p.go();
  Transaction w = p.write(64_B);
  w.notify_target = true;
  f.submit(p.a, own, w);
  EXPECT_EQ(f.advance(at(150ns)), at(150ns));
  EXPECT_EQ(f.advance(at(1us)), at(196ns + 30ns));
  EXPECT_EQ(f.advance(at(1us)), at(1us));
}

TEST(EventReference, AReactionWithoutDelayStartsAtTheInstantOfTheNotice) {
  Pair p;
  auto& f = p.go();
  Transaction doorbell = p.write(4_B);
  doorbell.notify_target = true;
  f.submit(p.a, own, doorbell);
  EXPECT_EQ(f.advance(at(1ms)), at(136ns));  // 110 + 16 + 10
  Transaction back = p.write(4_B, 136ns);
  back.target = p.a;
  f.submit(p.b, own, back);
  p.finish();
  EXPECT_EQ(p.done(), (Times{136, 272}));
}

TEST(EventReference, TheLedgerTellsPayloadFromOverhead) {
  Pair p;
  p.up(0).framing = 8_B;
  auto& f = p.go();
  Transaction w = p.write(130_B);
  w.purpose = pcie::Purpose::descriptor;
  f.submit(p.a, own, w);
  p.finish();
  const auto counters = f.counters(LinkId{0}, 0);
  const Tally& tally = counters.tally(p.a, pcie::Purpose::descriptor);
  EXPECT_EQ(tally.tlps, 2);
  EXPECT_EQ(tally.payload, 132_B);
  EXPECT_EQ(tally.overhead, 40_B);
}

/// Holds up what is at addresses of at least `from`.
struct Hold : Gate {
  std::uint64_t from = 0;
  Duration delay{};
  std::vector<GatedTlp> seen;
  Instant pass(const GatedTlp& tlp) override {
    seen.push_back(tlp);
    return tlp.address >= from ? tlp.at + delay : tlp.at;
  }
};

TEST(Gates, AtARouterATlpWaitsInItsQueueAndThoseBehindItOfItsClass) {
  Pair p;
  Hold hold;
  hold.delay = 1us;
  p.up(0).gate = &hold;
  p.go().submit(p.a, own, p.write(64_B));
  auto low = p.write(64_B);
  low.translated = true;
  low.answer = pcie::Status::unsupported_request;
  p.fabric->submit(p.a, own, low);
  p.finish();
  ASSERT_EQ(hold.seen.size(), 2U);
  // starts at 0 and 76; could leave the switch 110 later
  EXPECT_EQ(ns(hold.seen[0].at), 110);
  EXPECT_EQ(hold.seen[0].bytes, 64_B);
  EXPECT_EQ(hold.seen[0].requester, p.a);
  EXPECT_EQ(hold.seen[0].target, p.b);
  EXPECT_FALSE(hold.seen[0].translated);
  EXPECT_TRUE(hold.seen[1].translated);
  EXPECT_FALSE(hold.seen[0].refused);
  EXPECT_TRUE(hold.seen[1].refused);
  EXPECT_EQ(p.starts(1, 1), (Times{1110, 1186}));
}

TEST(Gates, AtARouterOnlyTheFirstIsHeldUpYetBothWait) {
  Pair p;
  Hold hold;
  hold.delay = 1us;
  hold.from = 4096;
  p.up(0).gate = &hold;
  auto held = p.write(64_B);
  held.address = 4096;
  p.go().submit(p.a, own, held);
  p.fabric->submit(p.a, own, p.write(64_B));
  p.finish();
  EXPECT_EQ(p.starts(1, 1), (Times{1110, 1186}));
}

TEST(Gates, AtAnEndpointItCountsAsArrivedLaterAndKeepsItsCredit) {
  Pair p;
  Hold hold;
  hold.delay = 1us;
  p.down(1).gate = &hold;
  p.down(1).credits[0] = {1, 8};
  p.go().submit(p.a, own, p.write(64_B));
  p.fabric->submit(p.a, own, p.write(64_B));
  p.finish();
  // leaves the switch at 110, is in at 196, counts at 1196, and its credit is back at 1246
  EXPECT_EQ(p.starts(1, 1), (Times{110, 1246}));
  EXPECT_EQ(p.done(), (Times{1196, 1246 + 76 + 10 + 1000}));
}

}  // namespace
}  // namespace peerpath::fabric
