#include "core/pcie/acs.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace peerpath::pcie {
namespace {

constexpr auto all_kinds = {RouteKind::request,         RouteKind::translated_request,
                            RouteKind::spoofed_request, RouteKind::spoofed_translated_request,
                            RouteKind::completion,      RouteKind::relaxed_completion};

AcsAction at(std::uint16_t control, RouteKind kind, PeerWay way = PeerWay::peer, std::uint64_t vector = 0) {
  return decide({.control = control, .egress_vector = vector}, kind, way, 1).action;
}

TEST(Acs, WithoutControlsPeersReachEachOther) {
  for (const auto kind : all_kinds) {
    EXPECT_EQ(at(0, kind), AcsAction::direct);
    EXPECT_EQ(at(0, kind, PeerWay::upstream), AcsAction::direct);
  }
}

TEST(Acs, RequestRedirectSendsRequestsUpAndCompletionRedirectCompletions) {
  EXPECT_EQ(at(acs::request_redirect, RouteKind::request), AcsAction::redirected);
  EXPECT_EQ(at(acs::request_redirect, RouteKind::translated_request), AcsAction::redirected);
  EXPECT_EQ(at(acs::request_redirect, RouteKind::completion), AcsAction::direct);
  EXPECT_EQ(at(acs::completion_redirect, RouteKind::completion), AcsAction::redirected);
  EXPECT_EQ(at(acs::completion_redirect, RouteKind::request), AcsAction::direct);
}

TEST(Acs, CompletionsWithRelaxedOrderingAreNotRedirected) {
  EXPECT_EQ(at(acs::completion_redirect, RouteKind::relaxed_completion), AcsAction::direct);
}

TEST(Acs, TranslatedRequestsGoDirectWhereThatIsAllowed) {
  const auto both = acs::request_redirect | acs::direct_translated;
  EXPECT_EQ(at(both, RouteKind::translated_request), AcsAction::direct);
  EXPECT_EQ(at(both, RouteKind::request), AcsAction::redirected);
  EXPECT_EQ(at(both | acs::translation_blocking, RouteKind::translated_request), AcsAction::violation);
}

TEST(Acs, TranslationBlockingHoldsOnTheWayUpToo) {
  EXPECT_EQ(at(acs::translation_blocking, RouteKind::translated_request, PeerWay::upstream), AcsAction::violation);
  EXPECT_EQ(at(acs::translation_blocking, RouteKind::request, PeerWay::upstream), AcsAction::direct);
  EXPECT_EQ(at(acs::translation_blocking, RouteKind::completion, PeerWay::upstream), AcsAction::direct);
}

TEST(Acs, TheEgressVectorSaysWhichPeersAreForbidden) {
  constexpr std::uint64_t this_one = 2, another = 4;
  const auto with_redirect = acs::egress_control | acs::request_redirect;
  EXPECT_EQ(at(acs::egress_control, RouteKind::request, PeerWay::peer, this_one), AcsAction::violation);
  EXPECT_EQ(at(acs::egress_control, RouteKind::request, PeerWay::peer, another), AcsAction::direct);
  EXPECT_EQ(at(with_redirect, RouteKind::request, PeerWay::peer, this_one), AcsAction::redirected);
  EXPECT_EQ(at(with_redirect, RouteKind::request, PeerWay::peer, another), AcsAction::direct);
  EXPECT_EQ(at(acs::egress_control, RouteKind::completion, PeerWay::peer, this_one), AcsAction::direct);
}

TEST(Acs, APortForwardsWhatIsBelowItselfOnlyIfToldTo) {
  for (const auto kind : all_kinds) {
    EXPECT_EQ(at(acs::upstream_forwarding, kind, PeerWay::own_port), AcsAction::redirected);
    EXPECT_EQ(at(0, kind, PeerWay::own_port), AcsAction::unsupported);
  }
}

TEST(Acs, SourceValidationKnowsTheBusesBelow) {
  const AcsPort port{.control = acs::source_validation, .secondary_bus = 3, .subordinate_bus = 5};
  const auto from_bus = [&](std::uint8_t bus, RouteKind kind) {
    return decide(port, kind, PeerWay::upstream, 0, Bdf{bus, 0, 0}).action;
  };
  EXPECT_EQ(from_bus(2, RouteKind::request), AcsAction::violation);
  EXPECT_EQ(from_bus(3, RouteKind::request), AcsAction::direct);
  EXPECT_EQ(from_bus(5, RouteKind::translated_request), AcsAction::direct);
  EXPECT_EQ(from_bus(6, RouteKind::request), AcsAction::violation);
  EXPECT_EQ(from_bus(6, RouteKind::completion), AcsAction::direct);
}

TEST(Acs, SourceValidationBlocksSpoofedRequestsWhereverTheyGo) {
  for (const auto way : {PeerWay::upstream, PeerWay::peer, PeerWay::own_port})
    for (const auto kind : {RouteKind::spoofed_request, RouteKind::spoofed_translated_request}) {
      EXPECT_EQ(at(acs::source_validation | acs::direct_translated, kind, way), AcsAction::violation);
      EXPECT_EQ(decide({.control = acs::linux_default}, kind, way).because, acs::source_validation);
    }
}

TEST(Acs, WithoutSourceValidationASpoofedRequestIsLikeAnyOther) {
  constexpr std::uint16_t others = 0x7f & ~acs::source_validation;
  for (int control = 0; control <= others; ++control)
    for (const auto way : {PeerWay::upstream, PeerWay::peer, PeerWay::own_port})
      for (const auto kind : {RouteKind::spoofed_request, RouteKind::spoofed_translated_request}) {
        const auto bits = static_cast<std::uint16_t>(control & others);
        EXPECT_EQ(at(bits, kind, way), at(bits, unspoofed(kind), way)) << control;
      }
}

TEST(RouteKinds, OfRequestsSayWhatTheseCarry) {
  for (const bool translated : {false, true})
    for (const bool spoofed : {false, true}) {
      const auto kind = request_kind(translated, spoofed);
      EXPECT_EQ(is_translated(kind), translated);
      EXPECT_EQ(is_spoofed(kind), spoofed);
      EXPECT_FALSE(is_completion(kind));
      EXPECT_EQ(unspoofed(kind), request_kind(translated, false));
    }
  EXPECT_EQ(unspoofed(RouteKind::completion), RouteKind::completion);
}

TEST(Acs, TheDecisionNamesItsControl) {
  const AcsPort port{.control = acs::linux_default, .secondary_bus = 1, .subordinate_bus = 9};
  EXPECT_EQ(decide(port, RouteKind::request, PeerWay::peer).because, acs::request_redirect);
  EXPECT_EQ(decide(port, RouteKind::completion, PeerWay::peer).because, acs::completion_redirect);
  EXPECT_EQ(decide(port, RouteKind::request, PeerWay::own_port).because, acs::upstream_forwarding);
  EXPECT_EQ(decide(port, RouteKind::request, PeerWay::upstream).because, 0);
}

TEST(Acs, ControlsAreSpelt) {
  EXPECT_EQ(acs::control_of(std::vector{AcsControl::request_redirect, AcsControl::direct_translated}),
            acs::request_redirect | acs::direct_translated);
  EXPECT_EQ(acs::control_of(std::vector{AcsControl::none}), 0);
  EXPECT_EQ(acs::to_string(acs::linux_default), "SV RR CR UF");
  EXPECT_EQ(acs::to_string(0), "none");
}

}  // namespace
}  // namespace peerpath::pcie
