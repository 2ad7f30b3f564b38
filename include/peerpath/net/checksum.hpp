// The Internet checksum (RFC 1071).
#pragma once

#include <cstdint>
#include <span>

namespace peerpath::net {

/// One's complement sum of 16-bit words in network order, to be continued and at last folded. Pieces after the first
/// must start at an even offset.
class InternetChecksum {
 public:
  void add(std::span<const std::uint8_t> bytes);
  void add16(std::uint16_t word) { sum_ += word; }

  /// The sum folded to 16 bits, not inverted: 0xffff over data that contains its own correct checksum.
  std::uint16_t folded() const;
  /// What belongs into the checksum field.
  std::uint16_t value() const { return static_cast<std::uint16_t>(~folded()); }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace peerpath::net
