#include <gtest/gtest.h>

#include <set>

#include "peerpath/net/ethernet.hpp"
#include "peerpath/net/headers.hpp"

namespace peerpath::net {
namespace {

FrameSpec spec_of(Layer3 layer3, Layer4 layer4, Bytes payload) {
  FrameSpec spec;
  spec.key = generated_flow(7);
  spec.key.layer3 = layer3;
  spec.key.layer4 = layer4;
  spec.payload = payload;
  spec.tcp_sequence = 0x12345678;
  return spec;
}

TEST(Build, tcp_over_ipv4_with_timestamps_is_66_bytes) {
  const auto header = build(spec_of(Layer3::ipv4, Layer4::tcp, Bytes{4096}));
  EXPECT_EQ(header.size, 66);
  EXPECT_EQ(wire_size(Bytes{header.size + 4096}), Bytes{4186});
}

TEST(Build, the_parser_reads_back_what_was_built) {
  for (const auto layer3 : {Layer3::ipv4, Layer3::ipv6}) {
    for (const auto layer4 : {Layer4::tcp, Layer4::udp}) {
      const auto spec = spec_of(layer3, layer4, Bytes{100});
      const auto header = build(spec);
      const auto parsed = parse(header.bytes(), Bytes{header.size + 100});
      EXPECT_EQ(parsed.error, ParseError::none);
      EXPECT_EQ(parsed.key, spec.key);
      EXPECT_EQ(parsed.header_length, header.size);
      EXPECT_EQ(parsed.payload, Bytes{100});
      if (layer4 == Layer4::tcp) {
        EXPECT_EQ(parsed.tcp_sequence, 0x12345678u);
      }
    }
  }
}

TEST(Build, a_sequence_number_moves_on_and_wraps) {
  auto spec = spec_of(Layer3::ipv4, Layer4::tcp, Bytes{100});
  auto header = build(spec);
  advance_tcp_sequence(header, Bytes{0xfe0});
  spec.tcp_sequence += 0xfe0;
  EXPECT_EQ(header.data, build(spec).data);
  advance_tcp_sequence(header, Bytes{0xf0000000});
  EXPECT_EQ(parse(header.bytes(), Bytes{header.size + 100}).tcp_sequence, 0x12346658u + 0xf0000000u);
}

TEST(Build, generated_flows_are_distinct) {
  std::set<std::tuple<std::array<std::uint8_t, 16>, std::uint16_t, std::uint16_t>> seen;
  for (std::uint32_t n = 0; n < 100'000; ++n) {
    const auto key = generated_flow(n);
    EXPECT_TRUE(seen.emplace(key.source, key.source_port, key.destination_port).second) << n;
  }
}

TEST(WireSize, short_frames_are_padded) {
  EXPECT_EQ(wire_size(Bytes{1}), Bytes{84});
  EXPECT_EQ(wire_size(Bytes{60}), Bytes{84});
  EXPECT_EQ(wire_size(Bytes{61}), Bytes{85});
}

}  // namespace
}  // namespace peerpath::net
