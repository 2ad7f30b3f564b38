// TLPs that end at another endpoint than the one they are meant for, in every mode, at times computed by hand: a read
// request or a completion without data takes 12 ns, 64 B of data at address 0 take 76 ns.
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

INSTANTIATE_TEST_SUITE_P(EveryMode, Strays, testing::Values(Mode::event, Mode::tlp, Mode::train),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace peerpath::fabric
