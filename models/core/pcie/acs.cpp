#include "core/pcie/acs.hpp"

namespace peerpath::pcie {
namespace {

AcsDecision to_peer(const AcsPort& port, RouteKind kind, int peer_port) {
  const auto on = [&](std::uint16_t control) { return (port.control & control) != 0; };
  if (kind == RouteKind::completion && on(acs::completion_redirect))
    return {AcsAction::redirected, acs::completion_redirect};
  if (is_completion(kind)) return {};
  if (is_translated(kind) && on(acs::direct_translated)) return {};
  if (on(acs::egress_control)) {
    // The vector, where it is in force, says which peers Request Redirect means.
    if ((port.egress_vector >> peer_port & 1) == 0) return {AcsAction::direct, acs::egress_control};
    if (!on(acs::request_redirect)) return {AcsAction::violation, acs::egress_control};
    return {AcsAction::redirected, acs::egress_control};
  }
  if (on(acs::request_redirect)) return {AcsAction::redirected, acs::request_redirect};
  return {};
}

}  // namespace

std::uint16_t acs::control_of(std::span<const AcsControl> controls) {
  std::uint16_t bits = 0;
  for (const auto control : controls)
    if (control != AcsControl::none) bits = static_cast<std::uint16_t>(bits | 1u << static_cast<unsigned>(control));
  return bits;
}

std::string acs::to_string(std::uint16_t control) {
  std::string text;
  for (const auto& [name, bit] : enum_names(AcsControl{}))
    if (bit != AcsControl::none && (control >> static_cast<unsigned>(bit) & 1) != 0)
      (text += text.empty() ? "" : " ") += name;
  return text.empty() ? "none" : text;
}

AcsDecision decide(const AcsPort& port, RouteKind kind, PeerWay way, int peer_port, std::optional<Bdf> requester) {
  const auto on = [&](std::uint16_t control) { return (port.control & control) != 0; };
  if (!is_completion(kind)) {
    const bool outside = requester && (requester->bus < port.secondary_bus || requester->bus > port.subordinate_bus);
    if (on(acs::source_validation) && (is_spoofed(kind) || outside))
      return {AcsAction::violation, acs::source_validation};
    if (on(acs::translation_blocking) && is_translated(kind)) return {AcsAction::violation, acs::translation_blocking};
  }
  switch (way) {
    case PeerWay::upstream:
      return {};
    case PeerWay::peer:
      return to_peer(port, kind, peer_port);
    case PeerWay::own_port:
      if (on(acs::upstream_forwarding)) return {AcsAction::redirected, acs::upstream_forwarding};
      return {AcsAction::unsupported, acs::upstream_forwarding};
  }
  return {};
}

}  // namespace peerpath::pcie
