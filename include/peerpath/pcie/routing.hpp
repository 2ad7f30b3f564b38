// What a scenario and the fabric say of routing between peers: kinds of TLPs, ACS controls, the kernel's trust in a
// host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "peerpath/base/field.hpp"

namespace peerpath::pcie {

/// What routing may ask of a TLP. The kinds differ in nothing else. A spoofed request carries a requester ID that
/// nothing below any port has, so it is within no port's bus range.
enum class RouteKind : std::uint8_t {
  request,             ///< untranslated, or not a memory request
  translated_request,  ///< memory request whose Address Type says translated (PCIe Base Spec 10.2.1)
  spoofed_request,
  spoofed_translated_request,
  completion,
  relaxed_completion,  ///< completion with the Relaxed Ordering attribute
};
inline constexpr std::size_t route_kinds = 6;

constexpr std::array<EnumName<RouteKind>, route_kinds> enum_names(RouteKind) {
  return {{{"request", RouteKind::request},
           {"translated_request", RouteKind::translated_request},
           {"spoofed_request", RouteKind::spoofed_request},
           {"spoofed_translated_request", RouteKind::spoofed_translated_request},
           {"completion", RouteKind::completion},
           {"relaxed_completion", RouteKind::relaxed_completion}}};
}

constexpr bool is_completion(RouteKind kind) {
  return kind == RouteKind::completion || kind == RouteKind::relaxed_completion;
}

constexpr bool is_spoofed(RouteKind kind) {
  return kind == RouteKind::spoofed_request || kind == RouteKind::spoofed_translated_request;
}

constexpr bool is_translated(RouteKind kind) {
  return kind == RouteKind::translated_request || kind == RouteKind::spoofed_translated_request;
}

/// Of a request, by what it carries.
constexpr RouteKind request_kind(bool translated, bool spoofed) {
  return static_cast<RouteKind>(static_cast<unsigned>(translated) | static_cast<unsigned>(spoofed) << 1);
}

/// The kind of a request that carries its sender's own ID, and is else the same.
constexpr RouteKind unspoofed(RouteKind kind) {
  return is_spoofed(kind) ? request_kind(is_translated(kind), false) : kind;
}

/// ACS controls, numbered as their bits in the ACS capability and control registers (PCIe Base Spec 7.7.11).
enum class AcsControl : std::uint8_t {
  source_validation,
  translation_blocking,
  request_redirect,
  completion_redirect,
  upstream_forwarding,
  egress_control,
  direct_translated,
  none,  ///< stands for an empty list
};

constexpr std::array<EnumName<AcsControl>, 8> enum_names(AcsControl) {
  return {{{"SV", AcsControl::source_validation},
           {"TB", AcsControl::translation_blocking},
           {"RR", AcsControl::request_redirect},
           {"CR", AcsControl::completion_redirect},
           {"UF", AcsControl::upstream_forwarding},
           {"EC", AcsControl::egress_control},
           {"DT", AcsControl::direct_translated},
           {"none", AcsControl::none}}};
}

/// Whether the kernel trusts a root complex to forward between its root ports: the CPU's family (AMD from 17h on) or a
/// list of host bridges says so (drivers/pci/p2pdma.c: cpu_supports_p2pdma, pci_p2pdma_whitelist).
enum class HostBridgeList : std::uint8_t {
  listed,            ///< between any host bridges that are listed
  same_bridge_only,  ///< only between root ports of one host bridge
  unlisted,
};

constexpr std::array<EnumName<HostBridgeList>, 3> enum_names(HostBridgeList) {
  return {{{"listed", HostBridgeList::listed},
           {"same_bridge_only", HostBridgeList::same_bridge_only},
           {"unlisted", HostBridgeList::unlisted}}};
}

}  // namespace peerpath::pcie
