// TLPs that end at another endpoint than the one they are meant for, and requests without answer, in every mode, at
// times computed by hand: a read request or a completion without data takes 12 ns, 64 B of data at address 0 take 76
// ns.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fabric/test_pair.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;

/// Requests from `a` for `b` end at `c`.
class Strays : public testing::TestWithParam<Mode> {
 protected:
  Fabric& go() {
    pair_.t.strays = true;
    EXPECT_TRUE(validate(pair_.t).empty());
    fabric_ = make_fabric(pair_.t, pair_, GetParam());
    fabric_->observe(&pair_);
    fabric_->set_route({pair_.node, LinkId{0}, pcie::RouteKind::request, pair_.b, LinkId{2}});
    return *fabric_;
  }
  void advance(Duration limit) {
    while (fabric_->advance(at(limit)) < at(limit)) {}
  }
  Transaction read(NodeId target, Duration ready = {}) {
    Transaction t = pair_.read(64_B, ready);
    t.target = target;
    return t;
  }

  /// `c` is asked by its own reader first, then by one that went astray, and answers the former at `when`.
  void answer_at(Duration when) {
    pair_.endpoint(pair_.c).external = true;
    Fabric& f = go();
    f.submit(pair_.a, own, read(pair_.c));        // taken in at 110 + 12 + 10
    f.submit(pair_.a, own, read(pair_.b, 20ns));  // taken in at 152
    advance(when);
    f.respond(pair_.deliveries.at(0).request, at(1us), Status::success);
    advance(1ms);
  }

  /// Submits a transaction of four TLPs of 128 B, less 9 B, and takes its route away when two of them have started.
  void expect_rest_missing(const Transaction& transaction, Duration two_started) {
    Fabric& f = go();
    f.set_route({pair_.node, LinkId{0}, pcie::RouteKind::request, pair_.b, LinkId{1}});
    f.submit(pair_.a, own, transaction);
    advance(two_started);
    f.set_route({pair_.node, LinkId{0}, pcie::RouteKind::request, pair_.b, LinkId{2}});
    advance(1ms);
    ASSERT_EQ(pair_.deliveries.size(), 1U);
    EXPECT_EQ(pair_.deliveries[0].status, Status::unsupported_request);
    EXPECT_EQ(pair_.deliveries[0].missing, Bytes{2 * 128 - 9});
  }

  Pair pair_;
  std::unique_ptr<Fabric> fabric_;
};

TEST_P(Strays, ARequestWithoutAnswerCountsWhereItEnds) {
  constexpr Duration most = 1us;
  pair_.endpoint(pair_.c).read_jitter = most;
  Fabric& f = go();
  Transaction unanswered = read(pair_.b);
  unanswered.answer = Status::no_answer;
  f.submit(pair_.a, own, unanswered);
  f.submit(pair_.a, own, read(pair_.c, 1us));
  advance(1ms);
  const std::uint64_t number = std::uint64_t{pair_.c.value()} << 32 | 1;  // its second request
  const auto jitter =
      static_cast<std::int64_t>(mix(pair_.t.seed ^ mix(number)) % (static_cast<std::uint64_t>(most.count()) + 1));
  EXPECT_EQ(pair_.starts(2, 0), Times{ns(at(1132ns + Duration{jitter}))});
}

TEST_P(Strays, AnAnswerGoesBeforeThatToARequestThatIsTakenInLater) {
  answer_at(140ns);
  EXPECT_EQ(pair_.starts(2, 0), (Times{1000, 1076}));
  EXPECT_EQ(pair_.tlps.back().target, pair_.b);
}

TEST_P(Strays, AnAnswerGoesBehindThatToARequestThatIsTakenIn) {
  answer_at(152ns);
  EXPECT_EQ(pair_.starts(2, 0), (Times{152, 1000}));
  EXPECT_EQ(pair_.tlps.back().target, pair_.c);
}

TEST_P(Strays, ATagByTimeoutComesBackBeforeOneThatWasKnownEarlier) {
  Topology& t = pair_.t;
  const NodeId d = t.add_endpoint("d", pair_.endpoint(pair_.a));
  t.connect(d, pair_.node, line(), line());
  for (const NodeId n : {pair_.a, pair_.b, pair_.c, d}) {
    pair_.endpoint(n).read_latency = 100us;
    pair_.endpoint(n).completion_timeout = 1us;
  }
  pair_.endpoint(pair_.c).external = true;
  pair_.endpoint(pair_.a).tags = 2;
  pair_.endpoint(pair_.a).service[2].per_tlp = 40us;
  pair_.down(3).rate = 100_Mbps;  // 80 times slower
  Fabric& f = go();
  f.set_route({pair_.node, LinkId{0}, pcie::RouteKind::request, pair_.b, LinkId{1}});
  f.set_route({pair_.node, LinkId{2}, pcie::RouteKind::relaxed_completion, pair_.a, LinkId{3}});
  Transaction ahead = pair_.write(128_B);  // leaves the switch at 110 + 140 * 80 = 11310
  ahead.target = d;
  f.submit(pair_.c, own, ahead);
  f.submit(pair_.a, own, read(pair_.c));
  Transaction astray = read(pair_.c);
  astray.relaxed_ordering = true;
  f.submit(pair_.a, own, astray);
  f.submit(pair_.a, own, read(pair_.b));                 // waits for a tag
  f.submit(d, own, pair_.write(Bytes{128 * 400}, 1us));  // busies the link to b every 140 ns from 1110 on
  advance(200ns);
  for (const Delivery& delivery : std::vector<Delivery>{pair_.deliveries})
    if (delivery.kind == DeliveryKind::requested) f.respond(delivery.request, at(200ns), Status::success);
  advance(1ms);
  // The first completion leaves the switch at once, by another port than the write, and is taken in 40 us later. The
  // second leaves behind the write at 11310, ends at d at 11310 + 76 * 80 + 10, and its request 1 us later.
  EXPECT_EQ(pair_.starts(0, 0), (Times{0, 12, 18400}));
  Times reads;
  for (const TlpRecord& r : pair_.tlps)
    if (r.link == LinkId{1} && r.direction == 1 && r.tlp_class == pcie::TlpClass::non_posted)
      reads.push_back(ns(r.start));
  EXPECT_EQ(reads, Times{1110 + 125 * 140});
}

TEST_P(Strays, AnExternalEndpointAnswersWhateverTheRequestSays) {
  pair_.endpoint(pair_.c).external = true;
  Fabric& f = go();
  Transaction request = read(pair_.c);
  request.answer = Status::no_answer;
  f.submit(pair_.a, own, request);
  advance(200ns);
  ASSERT_EQ(pair_.done(), Times{132});
  f.respond(pair_.deliveries[0].request, at(200ns), Status::success);
  advance(1ms);
  EXPECT_EQ(pair_.done(), (Times{132, 200 + 110 + 76 + 10}));
  EXPECT_EQ(pair_.deliveries.back().status, Status::success);
}

TEST_P(Strays, TheRestOfAWriteAfterARouteChangeIsMissing) {
  expect_rest_missing(pair_.write(Bytes{4 * 128 - 9}), 150ns);
}

TEST_P(Strays, TheRestOfAReadAfterARouteChangeIsMissing) { expect_rest_missing(pair_.read(Bytes{4 * 128 - 9}), 20ns); }

TEST_P(Strays, ACompletionThatGoesAstrayIsMissing) {
  Fabric& f = go();
  f.set_route({pair_.node, LinkId{0}, pcie::RouteKind::request, pair_.b, LinkId{1}});
  f.submit(pair_.a, own, pair_.read(Bytes{2 * 128 - 9}));
  advance(150ns);  // the first completion starts at 122 ns, the second one at 262 ns
  f.set_route({pair_.node, LinkId{1}, pcie::RouteKind::completion, pair_.a, LinkId{2}});
  advance(1ms);
  ASSERT_EQ(pair_.deliveries.size(), 1U);
  EXPECT_EQ(pair_.deliveries[0].status, Status::no_answer);
  EXPECT_EQ(pair_.deliveries[0].missing, Bytes{128 - 9});
}

TEST_P(Strays, AllOfWhatIsRefusedIsMissing) {
  Fabric& f = go();
  f.set_route({pair_.node, LinkId{0}, pcie::RouteKind::request, pair_.b, LinkId{1}});
  for (auto t : {pair_.write(300_B), pair_.read(300_B)}) {
    f.submit(pair_.a, own, t);
    for (const auto answer : {Status::completer_abort, Status::no_answer}) {
      t.answer = answer;
      f.submit(pair_.a, own, t);
    }
  }
  advance(1ms);
  ASSERT_EQ(pair_.deliveries.size(), 6U);
  for (const auto& d : pair_.deliveries) EXPECT_EQ(d.missing, d.status == Status::success ? 0_B : 300_B);
}

TEST_P(Strays, AccountsAreOfBytesWithoutPadding) {
  pair_.t.accounts = 2;
  Fabric& f = go();
  f.set_route({pair_.node, LinkId{0}, pcie::RouteKind::request, pair_.b, LinkId{1}});
  for (auto t : {pair_.write(200_B), pair_.read(200_B)}) {
    t.account = 1;
    t.address = 3;
    f.submit(pair_.a, own, t);
  }
  advance(1ms);
  for (const auto& [link, direction] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
    const auto counters = f.counters(LinkId{static_cast<std::uint16_t>(link)}, direction);
    EXPECT_EQ(counters.accounts[1], 200_B);
    EXPECT_EQ(counters.tally(pair_.a, pcie::Purpose::payload).payload, 204_B) << "51 double words";
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMode, Strays, testing::Values(Mode::event, Mode::train),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace peerpath::fabric
