#include "peerpath/fabric/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LinkDirection gen4() { return {.rate = BitRate{252'000'000'000}, .propagation = 10ns}; }

/// Two switches under a root complex, an endpoint below each.
struct Tree {
  Topology t;
  NodeId root = t.add_router("root", {100ns}), left = t.add_router("left", {100ns}),
         right = t.add_router("right", {100ns});
  NodeId nic = t.add_endpoint("nic", {}), gpu = t.add_endpoint("gpu", {});
  LinkId up_left = t.connect(left, root, gen4(), gen4()), up_right = t.connect(root, right, gen4(), gen4());
  LinkId to_nic = t.connect(left, nic, gen4(), gen4()), to_gpu = t.connect(gpu, right, gen4(), gen4());
};

TEST(Topology, ATreeIsAccepted) { EXPECT_THAT(validate(Tree{}.t), IsEmpty()); }

TEST(Topology, PortsAreNumberedInOrderOfLinks) {
  const Tree tree;
  const Wiring wiring{tree.t};
  ASSERT_EQ(wiring.ports(tree.right).size(), 2u);
  EXPECT_EQ(wiring.ports(tree.right)[0].link, tree.up_right);
  EXPECT_EQ(wiring.ports(tree.right)[0].outgoing, 1);
  EXPECT_EQ(wiring.ports(tree.right)[0].peer_port, 1);
  EXPECT_EQ(wiring.ports(tree.right)[1].outgoing, 1);
  EXPECT_EQ(wiring.port_of(tree.left, tree.to_nic), 1);
}

TEST(Topology, RoutesFollowTheTree) {
  const Tree tree;
  const Wiring wiring{tree.t};
  EXPECT_EQ(wiring.next_link(tree.nic, tree.gpu), tree.to_nic);
  EXPECT_EQ(wiring.next_link(tree.left, tree.gpu), tree.up_left);
  EXPECT_EQ(wiring.next_link(tree.root, tree.gpu), tree.up_right);
  EXPECT_EQ(wiring.next_link(tree.right, tree.gpu), tree.to_gpu);
  EXPECT_EQ(wiring.next_link(tree.right, tree.nic), tree.up_right);
}

TEST(Topology, ACycleIsFoundAndAnIslandIsADomainOfItsOwn) {
  Tree tree;
  tree.t.connect(tree.left, tree.right, gen4(), gen4());
  EXPECT_THAT(validate(tree.t), ElementsAre(HasSubstr("closes a cycle")));
  Tree other;
  other.t.add_router("alone", {});
  EXPECT_THAT(validate(other.t), IsEmpty());  // a domain of its own
}

TEST(Topology, AnEndpointHasExactlyOneLink) {
  Tree tree;
  const NodeId below = tree.t.add_router("below", {100ns});
  tree.t.connect(tree.nic, below, gen4(), gen4());
  EXPECT_THAT(validate(tree.t), ElementsAre("nic: an endpoint has one link, this one has 2"));
}

TEST(Topology, EveryMistakeIsReported) {
  Tree tree;
  tree.t.links[0].direction[1].rate = BitRate{};
  tree.t.links[1].direction[0].credits[0] = {8, 15};
  tree.t.nodes[tree.nic.value()].endpoint.max_payload = Bytes{300};
  tree.t.nodes[tree.gpu.value()].endpoint.tags = 0;
  EXPECT_THAT(validate(tree.t), ElementsAre(HasSubstr("nic: max_payload"), HasSubstr("gpu: needs at least one tag"),
                                            HasSubstr("link root -> left: has no rate"),
                                            HasSubstr("link root -> right: 15 posted data credits")));
}

TEST(Topology, DataCreditsMustHoldTheLargestTlpThatCanComeBy) {
  Tree tree;
  tree.t.nodes[tree.gpu.value()].endpoint.max_payload = Bytes{512};
  tree.t.links[tree.to_nic.value()].direction[1].credits[0] = {8, 16};  // from the NIC, whose MPS is 256 B
  tree.t.links[tree.to_nic.value()].direction[0].credits[0] = {8, 31};  // towards it
  EXPECT_THAT(validate(tree.t), ElementsAre(HasSubstr("link left -> nic: 31 posted data credits")));
}

TEST(Topology, AHopMustTakeTime) {
  Tree tree;
  tree.t.nodes[tree.root.value()].router.latency = 0ns;
  EXPECT_THAT(validate(tree.t), IsEmpty());
  tree.t.links[tree.up_left.value()].direction[0].propagation = 0ns;
  EXPECT_THAT(validate(tree.t), ElementsAre(HasSubstr("takes any time")));
}

TEST(Topology, TooManyPortsAndChannels) {
  Tree tree;
  for (int i = 0; i < 20; ++i)
    tree.t.connect(tree.root, tree.t.add_endpoint("e" + std::to_string(i), {}), gen4(), gen4());
  tree.t.nodes[tree.nic.value()].endpoint.channels = 21;
  EXPECT_THAT(validate(tree.t), ElementsAre("nic: at most 20 channels", "root: at most 21 ports"));
}

}  // namespace
}  // namespace peerpath::fabric
