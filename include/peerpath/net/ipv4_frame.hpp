// The headers that a frame over IPv4 begins with: Ethernet (IEEE 802.3 clause 3) and IPv4 without options (RFC 791).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "peerpath/net/network_order.hpp"

namespace peerpath::net {

using MacAddress = std::array<std::uint8_t, 6>;

inline constexpr std::uint16_t ethertype_ipv4 = 0x0800, ethertype_ipv6 = 0x86dd;
inline constexpr std::uint8_t protocol_tcp = 6, protocol_udp = 17;

struct EthernetHeader {
  static constexpr std::size_t size = 14;
  MacAddress destination{}, source{};
  std::uint16_t type = ethertype_ipv4;
};

struct Ipv4Header {
  static constexpr std::size_t size = 20;
  std::uint8_t traffic_class = 0;  ///< DSCP and ECN (RFC 2474, 3168)
  std::uint16_t length = 0;        ///< of the datagram with its header
  std::uint16_t identification = 0;
  std::uint8_t protocol = 0;
  std::uint32_t source = 0, destination = 0;
};

void write(FieldWriter& to, const EthernetHeader& header);
/// Not to be fragmented, for 64 hops, with its checksum.
void write(FieldWriter& to, const Ipv4Header& header);

struct Ipv4Frame {
  static constexpr std::size_t headers = EthernetHeader::size + Ipv4Header::size;
  EthernetHeader ethernet;
  Ipv4Header ip;
};

/// None of a frame that is too short, of another type, or has options. Checksum, length and what a fragment says are
/// not looked at: `parse` does that.
std::optional<Ipv4Frame> read_ipv4_frame(std::span<const std::uint8_t> frame);

}  // namespace peerpath::net
