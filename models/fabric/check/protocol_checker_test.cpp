// Every rule: what the fabric does is found to keep it, and one changed record to break it.
#include "fabric/check/protocol_checker.hpp"

#include <gtest/gtest.h>

#include "fabric/test_pair.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;

/// TLPs of a few transactions as they crossed the links.
struct Crossing : Pair {
  std::vector<Transaction> asked;

  Crossing() {
    endpoint(a).tags = 2;
    for (auto& link : t.links)
      for (auto& direction : link.direction) direction.credits = {{{2, 16}, {2, 3}, {2, 16}}};
    go();
    Transaction one = write(256_B);
    submit(one);
    one = read(512_B);
    one.address = 16;
    submit(one);
    submit(write(300_B));
    finish();
    std::ranges::stable_sort(tlps, {}, &TlpRecord::start);
  }
  void submit(Transaction transaction) {
    transaction.cookie = asked.size();
    asked.push_back(transaction);
    fabric->submit(a, own, transaction);
  }
  std::vector<Violation> check() {
    ProtocolChecker checker{t, [&](std::uint64_t cookie) -> const Transaction& { return asked[cookie]; }};
    for (const TlpRecord& tlp : tlps) checker.see(tlp);
    return checker.violations();
  }
  /// The first TLP of a class on a direction of a link.
  TlpRecord& first(int link, int direction, pcie::TlpClass tlp_class, std::size_t skip = 0) {
    for (TlpRecord& tlp : tlps)
      if (tlp.link == LinkId{static_cast<std::uint16_t>(link)} && tlp.direction == direction &&
          tlp.tlp_class == tlp_class && skip-- == 0)
        return tlp;
    throw std::runtime_error("no such TLP");
  }
  bool breaks(ProtocolRule rule) {
    const auto violations = check();
    return std::ranges::any_of(violations, [&](const Violation& v) { return v.rule == rule; });
  }
};

using pcie::TlpClass;

TEST(ProtocolChecker, FindsNothingInWhatTheFabricDoes) {
  const auto violations = Crossing{}.check();
  EXPECT_TRUE(violations.empty()) << violations.front().what;
}

TEST(ProtocolChecker, APayloadAboveTheMps) {
  Crossing c;
  c.first(0, 0, TlpClass::posted).payload = 132_B;
  EXPECT_TRUE(c.breaks(ProtocolRule::max_payload));
}

TEST(ProtocolChecker, ARequestOverAPageBoundary) {
  Crossing c;
  c.first(0, 0, TlpClass::posted).address = 4096 - 64;
  EXPECT_TRUE(c.breaks(ProtocolRule::page_crossing));
}

TEST(ProtocolChecker, ACompletionThatBeginsBetweenBoundaries) {
  Crossing c;
  c.first(1, 0, TlpClass::completion, 1).address += 4;
  EXPECT_TRUE(c.breaks(ProtocolRule::completion_boundary));
}

TEST(ProtocolChecker, MoreRequestsThanTags) {
  Crossing c;
  c.endpoint(c.a).tags = 1;
  EXPECT_TRUE(c.breaks(ProtocolRule::tag_reuse));
}

TEST(ProtocolChecker, MoreInABufferThanItsCredits) {
  Crossing c;
  c.up(0).credits[0] = {1, 8};
  EXPECT_TRUE(c.breaks(ProtocolRule::credit_overrun));
}

TEST(ProtocolChecker, ATlpThatOvertakesItsOwnClass) {
  Crossing c;
  std::swap(c.first(1, 1, TlpClass::posted).address, c.first(1, 1, TlpClass::posted, 1).address);
  EXPECT_TRUE(c.breaks(ProtocolRule::ordering));
}

TEST(ProtocolChecker, ATlpOnTheChannelOfAnotherClass) {
  Crossing c;
  c.first(0, 0, TlpClass::posted).channel = 1;
  EXPECT_TRUE(c.breaks(ProtocolRule::virtual_channel));
}

TEST(ProtocolChecker, ARequestThatPassesAPostedOne) {
  Crossing c;
  TlpRecord& request = c.first(1, 1, TlpClass::non_posted);
  request.start = c.first(1, 1, TlpClass::posted, 1).start + Duration{1};
  std::ranges::stable_sort(c.tlps, {}, &TlpRecord::start);
  EXPECT_TRUE(c.breaks(ProtocolRule::ordering));
}

}  // namespace
}  // namespace peerpath::fabric
