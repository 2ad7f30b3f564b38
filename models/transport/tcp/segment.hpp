// A TCP segment as its headers say it, without the payload's bytes.
#pragma once

#include <array>
#include <cstdint>

namespace peerpath::tcp {

/// Sequence numbers from `begin` up to, not including, `end` (RFC 2018).
struct SackBlock {
  std::uint32_t begin = 0, end = 0;
};

/// Three blocks fit beside the timestamp option, four without; three are used either way.
inline constexpr std::size_t most_blocks = 3;

namespace flag {
inline constexpr std::uint8_t fin = 0x01, syn = 0x02, rst = 0x04, psh = 0x08, ack = 0x10, ece = 0x40, cwr = 0x80;
}  // namespace flag

/// Fields of the TCP header and its options.
struct Segment {
  std::uint32_t connection = 0;  ///< the end that it is for; stands for addresses and ports
  std::uint32_t sequence = 0, acknowledgement = 0;
  std::uint32_t length = 0;  ///< bytes of payload
  std::uint32_t timestamp = 0, echo = 0;
  std::uint16_t window = 0;  ///< as in the header: to be shifted by the scale, but of a SYN
  std::uint16_t mss = 0;     ///< option of a SYN
  std::uint8_t flags = 0;
  std::uint8_t blocks = 0;  ///< SACK blocks
  std::uint8_t scale = 0;   ///< window scale, option of a SYN
  bool timestamps : 1 = false, sack_permitted : 1 = false;
  std::array<SackBlock, most_blocks> sack{};

  constexpr bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

static_assert(sizeof(Segment) == 56);

/// Bytes of the TCP header with its options, as Linux lays them out: in a SYN MSS, SACK permitted and timestamps in 16
/// or 8 bytes and the scale in 4; else timestamps in 12, and SACK in 4 and 8 for each block.
constexpr std::uint32_t header_size(const Segment& s) {
  if (s.has(flag::syn)) return 20 + 4 + (s.timestamps ? 12 : s.sack_permitted ? 4 : 0) + 4;
  return 20 + (s.timestamps ? 12 : 0) + (s.blocks > 0 ? 4 + 8 * std::uint32_t{s.blocks} : 0);
}

/// Of the Ethernet frame over IPv4, without FCS and padding.
constexpr std::uint32_t frame_size(const Segment& s) { return 14 + 20 + header_size(s) + s.length; }

}  // namespace peerpath::tcp
