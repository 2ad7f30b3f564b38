// Weighted port arbitration at times computed by hand: a and c write to b, TLP by TLP.
#include <gmock/gmock.h>

#include "fabric/test_pair.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

/// Who sends to b, in order.
struct Weighted : Pair {
  void weigh(int turns) {
    t.weights = {{node, LinkId{0}, LinkId{1}, turns}};
    go();
  }
  std::string order() {
    finish();
    std::string senders;
    for (const TlpRecord& r : tlps)
      if (r.link == LinkId{1} && r.direction == 1) senders += r.requester == a ? 'a' : 'c';
    return senders;
  }
  std::string order(int turns) {
    weigh(turns);
    fabric->submit(a, own, write(1024_B));
    fabric->submit(c, own, write(512_B));
    return order();
  }
};

TEST(Weights, OfOneArePlainRoundRobin) { EXPECT_EQ(Weighted{}.order(1), "acacacacaaaa"); }

TEST(Weights, OfThreeLetThreeGoInARow) { EXPECT_EQ(Weighted{}.order(3), "aaacaaacaacc"); }

// a's first TLP is alone, so c goes; when a comes back at 610 ns it has both of its turns.
TEST(Weights, TurnsThatWereNotUsedAreLost) {
  Weighted w;
  w.weigh(2);
  w.fabric->submit(w.a, own, w.write(128_B));
  w.fabric->submit(w.a, own, w.write(256_B, 500ns));
  w.fabric->submit(w.c, own, w.write(1024_B));
  EXPECT_EQ(w.order(), "acccaaccccc");
}

TEST(Weights, MustBeOfTwoPortsOfARouter) {
  Pair pair;
  pair.t.weights = {
      {pair.a, LinkId{0}, LinkId{1}, 2}, {pair.node, LinkId{0}, LinkId{7}, 2}, {pair.node, LinkId{0}, LinkId{1}, 0}};
  EXPECT_THAT(validate(pair.t),
              ElementsAre(HasSubstr("weight 0"), HasSubstr("weight 1"), HasSubstr("weight 2: 0 turns")));
}

}  // namespace
}  // namespace peerpath::fabric
