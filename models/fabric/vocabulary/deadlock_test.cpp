// Peers that read from each other with few completion credits, and receive queues that let nothing pass requests.
#include "fabric/vocabulary/deadlock.hpp"

#include "fabric/test_pair.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;

/// a and b read from each other; each takes in no request while it has a completion to send.
struct PeerReads : Pair {
  explicit PeerReads(Credits completions, int one_queue = 1) {
    for (const NodeId n : {a, b}) endpoint(n).one_queue = one_queue;
    for (auto& link : t.links)
      for (auto& d : link.direction) d.credits[static_cast<std::size_t>(pcie::TlpClass::completion)] = completions;
    t.reconfigures = false;
  }
  Deadlock run(Mode mode) {
    const auto fabric = make_fabric(t, *this, mode);
    for (int i = 0; i < 32; ++i) {
      fabric->submit(a, own, read(128_B));
      Transaction back = read(128_B);
      back.target = a;
      fabric->submit(b, own, back);
    }
    fabric->advance(at(100us));
    const auto earlier = fabric->waiting();
    fabric->advance(at(200us));
    return find_deadlock(t, unmoved(earlier, fabric->waiting()));
  }
  std::string text(const Deadlock& found) const {
    std::string all;
    for (const std::size_t i : found.cycle) all += sentence(describe(t, found.blocked[i])) + '\n';
    return all;
  }
};

TEST(Deadlock, PeerReadsWithoutCompletionCreditsWaitInACircle) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    PeerReads peers{{1, 8}};
    EXPECT_EQ(peers.text(peers.run(mode)),
              "switch port towards a: completion from a to b waits for completion credits of switch -> b\n"
              "b receive queue: non-posted request from a to b waits for room for its completions in b\n"
              "b completer: completion from b to a waits for completion credits of b -> switch\n"
              "switch port towards b: completion from b to a waits for completion credits of switch -> a\n"
              "a receive queue: non-posted request from b to a waits for room for its completions in a\n"
              "a completer: completion from a to b waits for completion credits of a -> switch\n")
        << name_of(mode);
    EXPECT_LT(peers.deliveries.size(), 64u);
  }
}

TEST(Deadlock, EndpointsThatAlwaysTakeInCompletionsDoNotWait) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    PeerReads peers{{1, 8}, 0};
    EXPECT_TRUE(peers.run(mode).blocked.empty()) << name_of(mode);
    EXPECT_EQ(peers.deliveries.size(), 64u);
  }
}

TEST(Deadlock, EndpointsWithCreditsForAllTheirCompletionsDoNotWait) {
  PeerReads peers{{0, 0}};
  EXPECT_TRUE(peers.run(Mode::train).blocked.empty());
  EXPECT_EQ(peers.deliveries.size(), 64u);
}

TEST(Deadlock, LostCreditsAreNamedWithoutACircle) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    Pair p;
    p.down(1).credits[0] = {1, 8};
    const auto fabric = make_fabric(p.t, p, mode);
    fabric->leak_credits(LinkId{1}, 1, pcie::TlpClass::posted, {1, 8});
    fabric->submit(p.a, own, p.write(64_B));
    fabric->advance(at(10us));
    const auto found = find_deadlock(p.t, fabric->waiting());
    ASSERT_EQ(found.blocked.size(), 1u) << name_of(mode);
    EXPECT_TRUE(found.cycle.empty());
    EXPECT_EQ(sentence(describe(p.t, found.blocked[0])),
              "switch port towards a: posted request from a to b waits for posted credits of switch -> b");
  }
}

TEST(Deadlock, WhoIsTakenInSlowlyDoesNotWaitForGood) {
  for (const Mode mode : {Mode::event, Mode::train}) {
    Pair p;
    p.down(1).credits[0] = {1, 8};
    p.endpoint(p.b).service[0].per_tlp = 100us;
    const auto fabric = make_fabric(p.t, p, mode);
    for (int i = 0; i < 4; ++i) fabric->submit(p.a, own, p.write(64_B));
    for (const Duration now : {50us, 120us, 299us}) {
      fabric->advance(at(now));
      EXPECT_TRUE(find_deadlock(p.t, fabric->waiting()).blocked.empty()) << name_of(mode);
    }
  }
}

TEST(Deadlock, WhatALinkThatIsDownHoldsUpIsNotBlockedForGood) {
  Pair p;
  p.go().set_link(LinkId{1}, false);
  p.fabric->submit(p.a, own, p.write(64_B));
  p.finish();
  ASSERT_EQ(p.fabric->waiting().size(), 1u);
  EXPECT_EQ(p.fabric->waiting()[0].why, WaitFor::link);
  EXPECT_TRUE(find_deadlock(p.t, p.fabric->waiting()).blocked.empty());
}

TEST(Deadlock, WhatMovedIsNotWaiting) {
  const Waiting first{NodeId{1}, 0, pcie::TlpClass::posted, WaitFor::credits, LinkId{0}, 0, NodeId{1}, NodeId{2}, 7, 0};
  Waiting next = first;
  next.cookie = 8;
  EXPECT_EQ(unmoved({first}, {first})[0].why, WaitFor::credits);
  EXPECT_EQ(unmoved({first}, {next})[0].why, WaitFor::time);
}

}  // namespace
}  // namespace peerpath::fabric
