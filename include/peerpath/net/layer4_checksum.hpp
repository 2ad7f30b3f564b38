// The checksums of TCP (RFC 9293) and UDP (RFC 768, RFC 8200 section 8.1) over whole frames, as NICs offload them.
#pragma once

#include <span>

#include "peerpath/net/headers.hpp"

namespace peerpath::net {

enum class Layer4Checksum : std::uint8_t {
  unknown,  ///< not TCP or UDP, a fragment, or a datagram whose lengths contradict each other
  absent,   ///< UDP over IPv4 with checksum 0: the sender made none
  good,
  bad,  ///< among them UDP over IPv6 with checksum 0
};

/// Checks a received frame, of which `parsed` is what the parser made.
Layer4Checksum check_layer4(std::span<const std::uint8_t> frame, const ParsedFrame& parsed);

/// Writes the checksum into a frame to be sent whose layer-4 header and payload are the `length` bytes at
/// `parsed.layer4_offset`; an all-zero UDP checksum becomes 0xffff. What is not TCP or UDP, or does not hold that many
/// bytes, is left alone.
void fill_layer4(std::span<std::uint8_t> frame, const ParsedFrame& parsed, std::size_t length);

}  // namespace peerpath::net
