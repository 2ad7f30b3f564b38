// The Toeplitz hash of receive-side scaling.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "peerpath/net/headers.hpp"

namespace peerpath::net {

inline constexpr std::size_t toeplitz_key_size = 40;
inline constexpr std::size_t toeplitz_input_max = 36;  ///< two IPv6 addresses and two ports
using ToeplitzKey = std::array<std::uint8_t, toeplitz_key_size>;

/// The key of the published verification suite (Microsoft, "Verifying the RSS Hash Calculation").
inline constexpr ToeplitzKey verification_key{0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                                              0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                                              0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                                              0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

/// Hash under one key, with a table for each input byte so that a frame costs a lookup and an XOR a byte.
class Toeplitz {
 public:
  explicit Toeplitz(const ToeplitzKey& key);

  /// Bytes beyond `toeplitz_input_max` do not count.
  std::uint32_t operator()(std::span<const std::uint8_t> input) const;

  /// Source address, destination address, and if `ports` source port, destination port; 0 when it is not IP.
  std::uint32_t operator()(const FlowKey& key, bool ports) const;

 private:
  std::array<std::array<std::uint32_t, 256>, toeplitz_input_max> table_;
};

}  // namespace peerpath::net
