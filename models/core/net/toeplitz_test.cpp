#include "peerpath/net/toeplitz.hpp"

#include <gtest/gtest.h>

namespace peerpath::net {
namespace {

struct Vector {
  FlowKey key;
  std::uint32_t addresses_only, with_ports;
};

FlowKey v4(std::array<std::uint8_t, 4> to, std::uint16_t to_port, std::array<std::uint8_t, 4> from,
           std::uint16_t from_port) {
  FlowKey key;
  key.layer3 = Layer3::ipv4;
  for (std::size_t i = 0; i < 4; ++i) {
    key.source[i] = from[i];
    key.destination[i] = to[i];
  }
  key.source_port = from_port;
  key.destination_port = to_port;
  return key;
}

std::array<std::uint8_t, 16> v6_address(std::array<unsigned, 8> groups) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[2 * i] = static_cast<std::uint8_t>(groups[i] >> 8);
    bytes[2 * i + 1] = static_cast<std::uint8_t>(groups[i]);
  }
  return bytes;
}

FlowKey v6(std::array<unsigned, 8> to, std::uint16_t to_port, std::array<unsigned, 8> from, std::uint16_t from_port) {
  FlowKey key;
  key.layer3 = Layer3::ipv6;
  key.source = v6_address(from);
  key.destination = v6_address(to);
  key.source_port = from_port;
  key.destination_port = to_port;
  return key;
}

/// Microsoft, "Verifying the RSS Hash Calculation" (Windows driver documentation).
const Vector vectors[] = {
    {v4({161, 142, 100, 80}, 1766, {66, 9, 149, 187}, 2794), 0x323e8fc2, 0x51ccc178},
    {v4({65, 69, 140, 83}, 4739, {199, 92, 111, 2}, 14230), 0xd718262a, 0xc626b0ea},
    {v4({12, 22, 207, 184}, 38024, {24, 19, 198, 95}, 12898), 0xd2d0a5de, 0x5c2b394a},
    {v4({209, 142, 163, 6}, 2217, {38, 27, 205, 30}, 48228), 0x82989176, 0xafc7327f},
    {v4({202, 188, 127, 2}, 1303, {153, 39, 163, 191}, 44251), 0x5d1809c5, 0x10e828a2},
    {v6({0x3ffe, 0x2501, 0x200, 3, 0, 0, 0, 1}, 1766, {0x3ffe, 0x2501, 0x200, 0x1fff, 0, 0, 0, 7}, 2794), 0x2cc18cd5,
     0x40207d3d},
    {v6({0xff02, 0, 0, 0, 0, 0, 0, 1}, 4739, {0x3ffe, 0x501, 8, 0, 0x260, 0x97ff, 0xfe40, 0xefab}, 14230), 0x0f0c461c,
     0xdde51bbf},
    {v6({0xfe80, 0, 0, 0, 0x200, 0xf8ff, 0xfe21, 0x67cf}, 38024,
        {0x3ffe, 0x1900, 0x4545, 3, 0x200, 0xf8ff, 0xfe21, 0x67cf}, 44251),
     0x4b61e985, 0x02d1feef},
};

TEST(Toeplitz, matches_the_published_verification_suite) {
  const Toeplitz hash{verification_key};
  for (const auto& v : vectors) {
    EXPECT_EQ(hash(v.key, false), v.addresses_only);
    EXPECT_EQ(hash(v.key, true), v.with_ports);
  }
}

TEST(Toeplitz, is_linear) {
  const Toeplitz hash{verification_key};
  const std::array<std::uint8_t, 3> a{1, 0x80, 7}, b{0xf0, 3, 9}, both{0xf1, 0x83, 14};
  EXPECT_EQ(hash(a) ^ hash(b), hash(both));
}

TEST(Toeplitz, a_frame_that_is_not_ip_has_hash_0) { EXPECT_EQ(Toeplitz{verification_key}(FlowKey{}, true), 0u); }

}  // namespace
}  // namespace peerpath::net
