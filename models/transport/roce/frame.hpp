// RoCEv2 packets as bytes: Ethernet, IPv4, UDP, the base transport header and its extensions, payload, ICRC.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/roce/packet.hpp"

namespace peerpath::roce {

inline constexpr std::uint16_t udp_port = 4791;

/// Where a frame comes from and goes to.
struct Addresses {
  std::array<std::uint8_t, 6> source_mac{}, destination_mac{};
  std::uint32_t source_ip = 0, destination_ip = 0;
  std::uint16_t source_port = 0xc000;
  std::uint8_t dscp = 26;
  std::uint8_t ecn = 2;  ///< ECT(0); 3: Congestion Experienced
};

/// Bytes of all headers up to the payload, Ethernet's included.
std::size_t header_size(const Packet& packet);
/// Of the frame without FCS: headers, payload padded to four bytes, ICRC.
std::size_t frame_size(const Packet& packet);

/// The frame of a packet without FCS. `payload`: `packet.length` bytes.
std::vector<std::uint8_t> encode(const Packet& packet, const Addresses& addresses,
                                 std::span<const std::uint8_t> payload);

enum class DecodeError : std::uint8_t { none, not_roce, truncated, unknown_opcode, bad_icrc };

/// What a frame says.
struct Decoded {
  DecodeError error = DecodeError::none;
  Packet packet{};
  Addresses addresses{};
  std::span<const std::uint8_t> payload{};  ///< in the frame
};

/// Reads a frame without FCS. Never reads outside it, whatever it holds.
Decoded decode(std::span<const std::uint8_t> frame);

/// The invariant CRC over an IPv4 datagram (without its last four bytes): Ethernet's polynomial, seeded with eight
/// bytes of ones in place of a local route header; what routers change counts as ones (annex A17.3.3). `ip` begins at
/// the IP header.
std::uint32_t icrc(std::span<const std::uint8_t> ip);

}  // namespace peerpath::roce
