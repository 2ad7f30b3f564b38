// Virtual channels at times computed by hand: what goes by VC 1 waits for nothing of VC 0 but the line.
#include <gmock/gmock.h>

#include "fabric/test_pair.hpp"
#include "fabric/vocabulary/deadlock.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using Links = std::vector<std::size_t>;

/// a, b and c of which some links carry traffic class 1 by VC 1.
struct Channels : Pair {
  explicit Channels(const Links& links = {0, 1}) {
    for (const std::size_t link : links) t.links[link].vc1_classes = 2;
  }
  /// By a queue of its own.
  void by_class_1(NodeId from, Transaction transaction) {
    transaction.traffic_class = 1;
    transaction.cookie = 1;
    fabric->submit(from, second, transaction);
  }
  std::vector<std::int64_t> starts_of_class_1(int link, int direction) const {
    std::vector<std::int64_t> all;
    for (const TlpRecord& r : tlps)
      if (r.cookie == 1 && r.link == LinkId{static_cast<std::uint16_t>(link)} && r.direction == direction)
        all.push_back(ns(r.start));
    return all;
  }
  std::vector<int> channels(int link, int direction) const {
    std::vector<int> all;
    for (const TlpRecord& r : tlps)
      if (r.link == LinkId{static_cast<std::uint16_t>(link)} && r.direction == direction) all.push_back(r.channel);
    return all;
  }
  /// Channels by which a sends 6 TLPs of class 0 and 3 of class 1.
  std::vector<int> order(VcArbitration arbitration) {
    t.links[0].direction[0].vc_arbitration = arbitration;
    go();
    fabric->submit(a, own, write(768_B));
    by_class_1(a, write(384_B));
    finish();
    return channels(0, 0);
  }
  /// b takes a microsecond for each TLP and has room for one; a fills the way to it and then rings.
  void exhaust() {
    endpoint(b).service[0].per_tlp = 1us;
    down(1).credits[0] = {1, 8};
    go();
    fabric->submit(a, own, write(1024_B));
    by_class_1(a, write(4_B, 500ns));
    finish();
  }
};

TEST(VirtualChannels, Vc1GoesFirstByStrictPriority) {
  EXPECT_THAT(Channels{}.order({}), ElementsAre(1, 1, 1, 0, 0, 0, 0, 0, 0));
}

TEST(VirtualChannels, HaveTurnsInWeightedArbitration) {
  EXPECT_THAT(Channels{}.order({2, 1}), ElementsAre(1, 0, 0, 1, 0, 0, 1, 0, 0));
  EXPECT_THAT(Channels{}.order({1, 2}), ElementsAre(1, 1, 0, 1, 0, 0, 0, 0, 0));
}

// 500 ns: the fourth write is on the line until 560 ns; 110 ns later the doorbell leaves the switch, which has nothing
// to send without credits of VC 0.
TEST(VirtualChannels, ADoorbellPassesWritesWithoutCredits) {
  Channels two;
  two.exhaust();
  EXPECT_EQ(two.starts_of_class_1(0, 0), Times{560});
  EXPECT_EQ(two.starts_of_class_1(1, 1), Times{670});
}

// Each write in front of it waits for 1,200 ns until the one before has been taken in.
TEST(VirtualChannels, WithoutThemItWaitsBehindThese) {
  Channels one{Links{}};
  one.exhaust();
  EXPECT_EQ(one.starts_of_class_1(0, 0), Times{560});
  EXPECT_EQ(one.starts_of_class_1(1, 1), Times{110 + 4 * 1200});
}

TEST(VirtualChannels, EachLinkHasAMapOfItsOwn) {
  Channels first{Links{0}};
  first.exhaust();
  EXPECT_THAT(first.channels(1, 1), Each(0));
  EXPECT_EQ(first.starts_of_class_1(1, 1), Times{1310}) << "its queue at the switch is not that of the writes";
}

TEST(VirtualChannels, OrderIsKeptWithinEachOfThem) {
  Channels two;
  two.endpoint(two.b).service[0].per_tlp = 1us;
  two.down(1).credits[0] = {1, 8};
  two.go();
  two.fabric->submit(two.a, own, two.write(256_B));
  Transaction slow = two.read(64_B, 300ns);
  two.fabric->submit(two.a, own, slow);
  two.by_class_1(two.a, two.read(64_B, 400ns));
  two.finish();
  EXPECT_EQ(two.starts_of_class_1(1, 1), Times{510});
  EXPECT_EQ(two.starts(1, 1), (Times{110, 510, 1310, 1450})) << "the other read follows the second write";
}

TEST(VirtualChannels, CompletionsGoByThatOfTheirRequest) {
  Channels two;
  two.t.links[1].direction[0].credits[2] = {1, 8};
  two.go();
  two.fabric->submit(two.a, own, two.read(1024_B));
  two.by_class_1(two.a, two.read(128_B, 100ns));
  two.finish();
  EXPECT_EQ(two.deliveries.size(), 2u);
  EXPECT_EQ(two.deliveries.front().cookie, 1u) << "there are credits for one completion at a time by VC 0";
  for (const TlpRecord& r : two.tlps) EXPECT_EQ(r.channel, r.cookie == 1 ? 1 : 0);
}

TEST(VirtualChannels, MustFit) {
  Channels wrong;
  wrong.t.links[0].vc1_classes = 3;
  wrong.t.links[0].direction[0].vc_arbitration = {1, 0};
  wrong.t.links[1].direction[1].vc1_credits[0] = {1, 1};
  wrong.endpoint(wrong.b).one_queue = 1;
  EXPECT_THAT(validate(wrong.t),
              ElementsAre(HasSubstr("traffic class 0"), HasSubstr("strict (no turns)"),
                          HasSubstr("VC 1: 1 posted data credits"), HasSubstr("one virtual channel")));
}

TEST(VirtualChannels, AreNamedInWhatWaits) {
  Channels two;
  Waiting waiting{.node = two.node,
                  .ingress = 3,
                  .why = WaitFor::credits,
                  .link = LinkId{1},
                  .direction = 1,
                  .requester = two.a,
                  .target = two.b,
                  .channel = 1};
  EXPECT_EQ(sentence(describe(two.t, waiting)),
            "switch port towards a, VC 1: posted request from a to b waits for posted credits of switch -> b, VC 1");
  waiting.node = two.b;
  waiting.tlp_class = pcie::TlpClass::completion;
  EXPECT_THAT(describe(two.t, waiting).place, "b completer, VC 1");
}

}  // namespace
}  // namespace peerpath::fabric
