// Segments as bytes of Ethernet frames (RFC 791, 9293, 7323, 2018).
#pragma once

#include <span>
#include <vector>

#include "transport/tcp/segment.hpp"

namespace peerpath::tcp {

/// What a segment's connection stands for.
struct Addresses {
  std::array<std::uint8_t, 6> source_mac{}, destination_mac{};
  std::uint32_t source_ip = 0, destination_ip = 0;
  std::uint16_t source_port = 0, destination_port = 0;
  std::uint8_t ecn = 0;  ///< 2: ECN-capable, 3: Congestion Experienced
  friend bool operator==(const Addresses&, const Addresses&) = default;
};

/// The frame without FCS, with both checksums. Payload that is not given is zeros.
std::vector<std::uint8_t> encode(const Segment& segment, const Addresses& addresses,
                                 std::span<const std::uint8_t> payload = {});

enum class DecodeError : std::uint8_t { none, not_tcp, truncated, bad_option, bad_checksum };

struct Decoded {
  DecodeError error = DecodeError::none;
  Addresses addresses{};
  Segment segment{};
  std::span<const std::uint8_t> payload{};
};

/// Reads a frame; never outside its bytes, whatever they are. Options that a `Segment` has no field for are passed
/// over, and so is a fourth SACK block.
Decoded decode(std::span<const std::uint8_t> frame);

}  // namespace peerpath::tcp
