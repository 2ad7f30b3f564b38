// What a NIC's parser finds in the first bytes of a frame, and the headers of generated traffic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "peerpath/base/units.hpp"

namespace peerpath::net {

enum class Layer3 : std::uint8_t { other, ipv4, ipv6 };
enum class Layer4 : std::uint8_t { none, other, tcp, udp };

/// Why a frame is not taken as it is.
enum class ParseError : std::uint8_t {
  none,
  truncated,        ///< a header goes beyond the bytes that are there
  bad_header,       ///< a length or version field that cannot be
  bad_ip_checksum,  ///< of the IPv4 header (RFC 791)
};

/// Addresses and ports in network order; an IPv4 address takes the first four bytes.
struct FlowKey {
  Layer3 layer3 = Layer3::other;
  Layer4 layer4 = Layer4::none;
  std::array<std::uint8_t, 16> source{};
  std::array<std::uint8_t, 16> destination{};
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t traffic_class = 0;  ///< TOS of IPv4
  friend bool operator==(const FlowKey&, const FlowKey&) = default;
};

/// Result of parsing Ethernet (with up to two VLAN tags), IPv4 or IPv6 with extension headers, and TCP or UDP.
struct ParsedFrame {
  ParseError error = ParseError::none;
  FlowKey key{};
  bool fragment = false;  ///< part of a fragmented datagram: has no usable layer-4 header
  bool ipv6_extension = false;
  std::uint8_t tcp_flags = 0;
  std::uint32_t tcp_sequence = 0;
  std::uint16_t ip_offset = 0;      ///< of the IP header
  std::uint16_t layer4_offset = 0;  ///< of the TCP or UDP header; 0: none
  std::uint16_t header_length = 0;  ///< Ethernet up to the last header understood: where a NIC splits
  Bytes payload{};                  ///< behind the headers, by the IP length (Ethernet padding is none)
};

/// Parses the headers of a frame of which `bytes` are at hand; `frame` is its whole size without FCS. Never reads
/// outside `bytes`, whatever they are.
ParsedFrame parse(std::span<const std::uint8_t> bytes, Bytes frame);

/// What a generated frame carries. TCP has the timestamp option (RFC 7323), so 32 bytes of header.
struct FrameSpec {
  FlowKey key{};
  Bytes payload{};
  std::uint32_t tcp_sequence = 0;
  std::uint8_t tcp_flags = 0x10;  ///< ACK
  std::uint16_t ip_id = 0;
};

/// Header bytes of a frame, Ethernet up to and including layer 4.
struct HeaderBytes {
  static constexpr std::size_t capacity = 128;
  std::array<std::uint8_t, capacity> data{};
  std::uint16_t size = 0;
  std::span<const std::uint8_t> bytes() const { return {data.data(), size}; }
};

/// Builds Ethernet, IP and TCP or UDP headers with lengths and IPv4 header checksum. The layer-4 checksum is left 0: it
/// covers payload that only exists as a length.
HeaderBytes build(const FrameSpec& spec);

/// Moves headers that `build` made for TCP over IPv4 on in their stream.
void advance_tcp_sequence(HeaderBytes& header, Bytes by);

/// Key of the n-th of many generated flows: distinct addresses and ports, IPv4 TCP.
FlowKey generated_flow(std::uint32_t n);

inline constexpr std::uint8_t tcp_fin = 0x01, tcp_syn = 0x02, tcp_psh = 0x08;

}  // namespace peerpath::net
