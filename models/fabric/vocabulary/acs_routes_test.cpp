// The routes that ACS makes, run through the fabric: where TLPs really go.
#include "fabric/vocabulary/acs_routes.hpp"

#include <gtest/gtest.h>

#include "fabric/test_pair.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;
namespace acs = pcie::acs;

/// a, b and c below a switch (links 0 to 2), which is at the root complex (link 3) beside memory (link 4).
struct Hierarchy : Pair {
  NodeId root = t.add_router("root", {200ns});
  NodeId dram;
  AcsHierarchy acs;

  Hierarchy() {
    t.connect(root, node, line(), line());
    Endpoint e = endpoint(a);
    dram = t.add_endpoint("dram", e);
    acs.roots[0].root = root;
    acs.roots[0].memory = t.connect(root, dram, line(), line());
    t.strays = true;
  }
  void set(std::initializer_list<int> links, std::uint16_t control) {
    for (const int link : links)
      acs.ports[LinkId{static_cast<std::uint16_t>(link)}] = {.control = control, .egress_vector = ~std::uint64_t{0}};
  }
  LinkId trap(NodeId router, Status answer) {
    Endpoint e = endpoint(a);
    e.misdirected = answer;
    return t.connect(router, t.add_endpoint("errors", e), line(), line());
  }
  void apply() {
    for (const Route& route : acs_routes(t, acs)) fabric->set_route(route);
  }
  Delivery write() {
    go();
    apply();
    fabric->submit(a, own, Pair::write(64_B));
    finish();
    return deliveries.at(0);
  }
};

TEST(AcsRoutes, WithoutControlsAreThoseOfTheTree) {
  Hierarchy h;
  EXPECT_EQ(h.write().status, Status::success);
  EXPECT_EQ(h.starts(1, 1), Times{110});
  EXPECT_TRUE(h.starts(3, 1).empty());
}

TEST(AcsRoutes, ARedirectedWriteGoesUpToTheRootComplexAndComesDown) {
  Hierarchy h;
  h.set({0, 1, 2, 3}, acs::linux_default);
  EXPECT_EQ(h.write().status, Status::success);
  EXPECT_EQ(h.starts(3, 1), Times{110});
  EXPECT_EQ(h.starts(3, 0), Times{110 + 10 + 200});
  EXPECT_EQ(h.starts(1, 1), Times{320 + 10 + 100});
}

TEST(AcsRoutes, WithoutUpstreamForwardingItEndsInTheRootComplex) {
  Hierarchy h;
  h.set({0, 1, 2}, acs::request_redirect);
  EXPECT_EQ(h.write().status, Status::unsupported_request);
  EXPECT_EQ(h.starts(4, 0), Times{320});
}

TEST(AcsRoutes, ARootComplexWithoutPeerToPeerAnswersUnsupportedRequest) {
  Hierarchy h;
  h.acs.roots[0].peer_to_peer = false;
  h.set({0, 1, 2, 3}, acs::linux_default);
  EXPECT_EQ(h.write().status, Status::unsupported_request);
  EXPECT_TRUE(h.starts(1, 1).empty());
}

TEST(AcsRoutes, WhatTheRootComplexRefusesDoesNotReachMemory) {
  for (const bool peer_to_peer : {false, true}) {  // it does not forward, or its port is without UF
    Hierarchy h;
    h.acs.roots[0].peer_to_peer = peer_to_peer;
    h.acs.traps[h.root].unsupported = h.trap(h.root, Status::unsupported_request);
    h.set({0, 1, 2}, acs::request_redirect);
    EXPECT_EQ(h.write().status, Status::unsupported_request);
    EXPECT_TRUE(h.starts(4, 0).empty());
    EXPECT_EQ(h.starts(5, 0), Times{320});
  }
}

TEST(AcsRoutes, EgressControlWithoutRedirectIsAViolationAtTheSwitch) {
  Hierarchy h;
  h.acs.traps[h.node].violation = h.trap(h.node, Status::completer_abort);
  h.set({0, 1, 2}, acs::egress_control);
  EXPECT_EQ(h.write().status, Status::completer_abort);
  EXPECT_TRUE(h.starts(3, 1).empty());
}

TEST(AcsRoutes, AFlipChangesTheRouteOfTheNextTlp) {
  Hierarchy h;
  h.go();
  h.apply();
  h.fabric->submit(h.a, own, h.Pair::write(256_B));
  h.fabric->advance(at(50ns));  // the first of two TLPs has started
  h.set({0, 1, 2, 3}, acs::linux_default);
  h.apply();
  h.finish();
  EXPECT_EQ(h.starts(1, 1), (Times{110, 140 + 430}));
  EXPECT_EQ(h.starts(3, 1), Times{140 + 110});
}

}  // namespace
}  // namespace peerpath::fabric
