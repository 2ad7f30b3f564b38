// Access Control Services as routing: what a port with ACS controls does with a TLP that comes up into it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/pcie/address_map.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/pcie/routing.hpp"

namespace peerpath::pcie {

/// ACS controls (ACS Extended Capability): bits of the capability and of the control register.
namespace acs {
inline constexpr std::uint16_t source_validation = 1 << 0;
inline constexpr std::uint16_t translation_blocking = 1 << 1;
inline constexpr std::uint16_t request_redirect = 1 << 2;
inline constexpr std::uint16_t completion_redirect = 1 << 3;
inline constexpr std::uint16_t upstream_forwarding = 1 << 4;
inline constexpr std::uint16_t egress_control = 1 << 5;
inline constexpr std::uint16_t direct_translated = 1 << 6;
/// What Linux turns on in every port once an IOMMU driver asks for ACS.
inline constexpr std::uint16_t linux_default =
    source_validation | request_redirect | completion_redirect | upstream_forwarding;
/// The bits that make Linux send peer traffic through the host bridge.
inline constexpr std::uint16_t redirects = request_redirect | completion_redirect | egress_control;
/// The control register with these bits.
std::uint16_t control_of(std::span<const AcsControl> controls);
/// As the specification abbreviates them: "RR CR".
std::string to_string(std::uint16_t control);
}  // namespace acs

/// ACS registers of one downstream or root port, and the buses below it.
struct AcsPort {
  std::uint16_t control = 0;        ///< bits of namespace acs
  std::uint64_t egress_vector = 0;  ///< Egress Control Vector: bit n forbids port number n
  std::uint8_t secondary_bus = 0, subordinate_bus = 255;
};

/// Where plain address or ID routing would send a TLP that came up into a port.
enum class PeerWay : std::uint8_t {
  upstream,  ///< on towards the root complex: no peer is meant
  peer,      ///< down another port of the same switch or root complex
  own_port,  ///< back down the port by which it came: something below has sent it up although its target is below
};

/// What the port does with it.
enum class AcsAction : std::uint8_t {
  direct,       ///< as address or ID routing says
  redirected,   ///< up, although the target is a peer
  violation,    ///< blocked: an ACS violation; a non-posted request is answered with Completer Abort
  unsupported,  ///< a bridge does not take from below what lies below: Unsupported Request
};

constexpr std::array<EnumName<AcsAction>, 4> enum_names(AcsAction) {
  return {{{"direct", AcsAction::direct},
           {"redirected", AcsAction::redirected},
           {"violation", AcsAction::violation},
           {"unsupported", AcsAction::unsupported}}};
}

struct AcsDecision {
  AcsAction action = AcsAction::direct;
  std::uint16_t because = 0;  ///< the control that decided; 0: none
};

/// What a downstream port of a switch, or a root port, does with a TLP from below (PCIe Base Spec 6.12.1 to 6.12.3).
/// `peer_port` is the port number of the sibling for `PeerWay::peer`. `requester` is the ID in the TLP, if it is to be
/// checked; that of a spoofed request is outside every range of buses. In order: Source Validation, Translation
/// Blocking; to a peer: Direct Translated, Egress Control, Request or Completion Redirect; to its own port: Upstream
/// Forwarding.
///
/// What is redirected by a root port is validated by the root complex, which then forwards it to the peer, or does not.
///
/// Left out: ACS of multi-function devices; the enhanced controls (I/O, unclaimed requests, DSP and USP memory
/// targets).
AcsDecision decide(const AcsPort& port, RouteKind kind, PeerWay way, int peer_port = 0,
                   std::optional<Bdf> requester = {});

}  // namespace peerpath::pcie
