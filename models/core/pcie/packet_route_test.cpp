#include "core/pcie/packet_route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/pcie/p2pdma.hpp"

namespace peerpath::pcie {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

enum : int { rp0, up, down0, down1, nic, gpu, rp1, far };

/// A switch with a NIC and a GPU below root port 0, another GPU at root port 1.
const std::vector<Function> tree = AddressMap{
    {{.name = "rp0", .kind = FunctionKind::root_port},
     {.name = "up", .kind = FunctionKind::upstream_port, .parent = rp0},
     {.name = "down0", .kind = FunctionKind::downstream_port, .parent = up},
     {.name = "down1", .kind = FunctionKind::downstream_port, .parent = up},
     {.name = "nic", .parent = down0},
     {.name = "gpu", .parent = down1},
     {.name = "rp1", .kind = FunctionKind::root_port},
     {.name = "far", .parent = rp1}},
    {}}.functions();

struct Case {
  std::vector<AcsPort> ports = std::vector<AcsPort>(tree.size());
  bool peer_to_peer = true;

  Case& set(std::initializer_list<int> where, std::uint16_t control) {
    for (const int f : where) {
      const auto& function = tree[static_cast<std::size_t>(f)];
      ports[static_cast<std::size_t>(f)] = {control, 0, function.secondary_bus, function.subordinate_bus};
    }
    return *this;
  }
  PacketRoute go(int from, int to, RouteKind kind = RouteKind::request) const {
    return route(tree, ports, peer_to_peer, from, to, kind);
  }
  std::vector<int> hops(int from, int to, RouteKind kind = RouteKind::request) const {
    std::vector<int> hops;
    for (const auto& hop : go(from, to, kind).hops) hops.push_back(hop.function);
    return hops;
  }
  P2pVerdict verdict(int provider, int client, HostBridgeList host = HostBridgeList::listed) const {
    return p2pdma(tree, ports, provider, client, host, host, true);
  }
};

TEST(PacketRoute, TurnsInTheSwitch) {
  EXPECT_THAT(Case{}.hops(nic, gpu), ElementsAre(nic, down0, down1, gpu));
  EXPECT_FALSE(Case{}.go(nic, gpu).through_root_complex());
}

TEST(PacketRoute, GoesUpToMemory) {
  EXPECT_THAT(Case{}.hops(nic, at_root_complex), ElementsAre(nic, down0, up, rp0, at_root_complex));
}

TEST(PacketRoute, BetweenRootPortsItTurnsInTheRootComplex) {
  EXPECT_THAT(Case{}.hops(nic, far), ElementsAre(nic, down0, up, rp0, at_root_complex, rp1, far));
}

TEST(PacketRoute, IsRedirectedUpAndComesDownAgain) {
  const auto c = Case{}.set({rp0, rp1, down0, down1}, acs::linux_default);
  EXPECT_THAT(c.hops(nic, gpu), ElementsAre(nic, down0, up, rp0, at_root_complex, rp0, up, down1, gpu));
  const auto request = c.go(nic, gpu);
  EXPECT_TRUE(request.delivered());
  EXPECT_TRUE(request.redirected());
  EXPECT_EQ(request.hops[1].because, acs::request_redirect);
  EXPECT_EQ(request.hops[3].because, acs::upstream_forwarding);
  EXPECT_TRUE(c.go(gpu, nic, RouteKind::completion).through_root_complex());
  EXPECT_FALSE(c.go(gpu, nic, RouteKind::relaxed_completion).redirected());
}

TEST(PacketRoute, OfASpoofedRequestEndsAtTheFirstPortThatValidatesSources) {
  const auto at_root_port = Case{}.set({rp0}, acs::source_validation);
  EXPECT_TRUE(at_root_port.go(nic, gpu, RouteKind::spoofed_request).delivered());
  EXPECT_THAT(at_root_port.hops(nic, at_root_complex, RouteKind::spoofed_request), ElementsAre(nic, down0, up, rp0));
  const auto below = Case{}.set({down0, rp0}, acs::linux_default).go(nic, gpu, RouteKind::spoofed_request);
  EXPECT_EQ(below.end, AcsAction::violation);
  EXPECT_EQ(below.hops.back(), (RouteHop{down0, AcsAction::violation, acs::source_validation}));
}

TEST(PacketRoute, OfASpoofedRequestEndsAtAnIommu) {
  for (const int to : {int{at_root_complex}, int{far}}) {
    const auto spoofed = route(tree, Case{}.ports, true, nic, to, RouteKind::spoofed_request, true);
    EXPECT_EQ(spoofed.end, AcsAction::unsupported);
    EXPECT_EQ(spoofed.hops.back(), (RouteHop{at_root_complex, AcsAction::unsupported, 0}));
    EXPECT_TRUE(route(tree, Case{}.ports, true, nic, to, RouteKind::request, true).delivered());
    EXPECT_TRUE(Case{}.go(nic, to, RouteKind::spoofed_request).delivered()) << "no IOMMU";
  }
}

TEST(PacketRoute, EndsAtARootPortThatDoesNotForwardToItself) {
  const auto c = Case{}.set({down0, down1}, acs::request_redirect);
  const auto request = c.go(nic, gpu);
  EXPECT_EQ(request.end, AcsAction::unsupported);
  EXPECT_EQ(request.hops.back().function, rp0);
}

TEST(PacketRoute, EndsAtARootComplexWithoutPeerToPeer) {
  auto c = Case{}.set({rp0, rp1, down0, down1}, acs::linux_default);
  c.peer_to_peer = false;
  EXPECT_EQ(c.go(nic, gpu).end, AcsAction::unsupported);
  EXPECT_EQ(c.go(nic, gpu).hops.back().function, at_root_complex);
  EXPECT_EQ(c.go(nic, far).end, AcsAction::unsupported);
  EXPECT_TRUE(c.go(nic, at_root_complex).delivered());
}

TEST(PacketRoute, EgressControlBlocksASibling) {
  auto c = Case{}.set({down0}, acs::egress_control);
  c.ports[down0].egress_vector = 1 << 1;
  EXPECT_EQ(c.go(nic, gpu).end, AcsAction::violation);
  EXPECT_TRUE(c.go(gpu, nic).delivered());
}

TEST(P2pdma, BelowOneSwitchByBusAddress) {
  const auto verdict = Case{}.verdict(gpu, nic, HostBridgeList::unlisted);
  EXPECT_EQ(verdict.mapping, P2pMapping::bus_address);
  EXPECT_EQ(verdict.distance, 4);
  EXPECT_EQ(verdict.common_bridge, up);
}

TEST(P2pdma, AcsRedirectOnTheWayLeavesItToTheHostBridge) {
  for (const int port : {down0, down1}) {
    const auto c = Case{}.set({port}, acs::completion_redirect);
    EXPECT_EQ(c.verdict(gpu, nic).mapping, P2pMapping::through_host_bridge);
    EXPECT_EQ(c.verdict(gpu, nic, HostBridgeList::same_bridge_only).mapping, P2pMapping::through_host_bridge);
    EXPECT_EQ(c.verdict(gpu, nic, HostBridgeList::unlisted).mapping, P2pMapping::not_supported);
    EXPECT_THAT(c.verdict(gpu, nic).redirects, ElementsAre(port));
  }
  EXPECT_EQ(Case{}.set({down0, rp0}, acs::source_validation).verdict(gpu, nic).mapping, P2pMapping::bus_address);
  EXPECT_EQ(Case{}.set({rp0}, acs::redirects).verdict(gpu, nic).mapping, P2pMapping::bus_address);
}

TEST(P2pdma, BetweenRootPortsTheHostBridgeDecides) {
  EXPECT_EQ(Case{}.verdict(far, nic).mapping, P2pMapping::through_host_bridge);
  EXPECT_EQ(Case{}.verdict(far, nic).common_bridge, -1);
  EXPECT_EQ(Case{}.verdict(far, nic).distance, 6);
  EXPECT_EQ(Case{}.verdict(far, nic, HostBridgeList::unlisted).mapping, P2pMapping::not_supported);
  // Nobody asks for ACS on a way that leads through the root complex anyway.
  EXPECT_THAT(Case{}.set({rp0, rp1, down0}, acs::linux_default).verdict(far, nic).redirects, IsEmpty());
}

TEST(P2pdma, BetweenTwoHostBridgesBothMustBeListed) {
  const Case c;
  const auto between = [&](HostBridgeList a, HostBridgeList b) {
    return p2pdma(tree, c.ports, far, nic, a, b, false).mapping;
  };
  EXPECT_EQ(between(HostBridgeList::listed, HostBridgeList::listed), P2pMapping::through_host_bridge);
  EXPECT_EQ(between(HostBridgeList::listed, HostBridgeList::same_bridge_only), P2pMapping::not_supported);
}

}  // namespace
}  // namespace peerpath::pcie
