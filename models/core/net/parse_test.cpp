#include <gtest/gtest.h>

#include <vector>

#include "peerpath/net/headers.hpp"

namespace peerpath::net {
namespace {

std::vector<std::uint8_t> tcp_frame(Layer3 layer3 = Layer3::ipv4) {
  FrameSpec spec;
  spec.key = generated_flow(3);
  spec.key.layer3 = layer3;
  spec.payload = Bytes{1000};
  const auto header = build(spec);
  return {header.bytes().begin(), header.bytes().end()};
}

ParsedFrame parse_whole(const std::vector<std::uint8_t>& header, std::int64_t payload = 1000) {
  return parse(header, Bytes{static_cast<std::int64_t>(header.size()) + payload});
}

/// Puts `middle` between Ethernet type or IPv6 header and what follows.
std::vector<std::uint8_t> insert(std::vector<std::uint8_t> frame, std::ptrdiff_t at, std::vector<std::uint8_t> middle) {
  frame.insert(frame.begin() + at, middle.begin(), middle.end());
  return frame;
}

TEST(Parse, every_truncation_is_told_and_none_reads_outside) {
  for (const auto layer3 : {Layer3::ipv4, Layer3::ipv6}) {
    const auto whole = tcp_frame(layer3);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
      EXPECT_EQ(parse_whole(cut).error, ParseError::truncated) << n;
    }
  }
}

TEST(Parse, vlan_tags_shift_the_headers) {
  const auto tagged = insert(insert(tcp_frame(), 12, {0x81, 0, 0, 5}), 12, {0x88, 0xa8, 0, 6});
  const auto parsed = parse_whole(tagged);
  EXPECT_EQ(parsed.error, ParseError::none);
  EXPECT_EQ(parsed.header_length, 66 + 8);
  EXPECT_EQ(parsed.key.layer4, Layer4::tcp);
}

TEST(Parse, a_wrong_ipv4_checksum_is_told) {
  auto frame = tcp_frame();
  frame[24] ^= 1;
  EXPECT_EQ(parse_whole(frame).error, ParseError::bad_ip_checksum);
}

TEST(Parse, ethernet_padding_is_not_payload) {
  FrameSpec spec;
  spec.key = generated_flow(0);
  spec.key.layer4 = Layer4::udp;
  spec.payload = Bytes{2};
  const auto header = build(spec);
  const auto parsed = parse(header.bytes(), Bytes{60});
  EXPECT_EQ(parsed.payload, Bytes{2});
}

TEST(Parse, an_ip_length_beyond_the_frame_is_truncation) {
  EXPECT_EQ(parse_whole(tcp_frame(), 999).error, ParseError::truncated);
}

TEST(Parse, ipv6_extension_headers_are_walked) {
  auto frame = tcp_frame(Layer3::ipv6);
  frame[20] = 0;  // next header: hop-by-hop, then destination options, then TCP
  frame = insert(frame, 54, {60, 0, 1, 4, 0, 0, 0, 0, 6, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  frame[19] = static_cast<std::uint8_t>(frame[19] + 24);
  const auto parsed = parse_whole(frame);
  EXPECT_EQ(parsed.error, ParseError::none);
  EXPECT_TRUE(parsed.ipv6_extension);
  EXPECT_EQ(parsed.key.layer4, Layer4::tcp);
  EXPECT_EQ(parsed.header_length, 14 + 40 + 24 + 32);
  EXPECT_EQ(parsed.payload, Bytes{1000});
}

TEST(Parse, a_fragment_has_no_ports) {
  auto v6 = tcp_frame(Layer3::ipv6);
  v6[20] = 44;
  v6 = insert(v6, 54, {6, 0, 0, 1, 0, 0, 0, 9});  // first fragment, more to come
  v6[19] = static_cast<std::uint8_t>(v6[19] + 8);
  const auto parsed = parse_whole(v6);
  EXPECT_TRUE(parsed.fragment);
  EXPECT_EQ(parsed.key.layer4, Layer4::other);
  EXPECT_EQ(parsed.header_length, 14 + 40 + 8);
}

TEST(Parse, other_ethertypes_have_no_network_headers) {
  auto frame = tcp_frame();
  frame[13] = 6;  // ARP
  const auto parsed = parse_whole(frame);
  EXPECT_EQ(parsed.error, ParseError::none);
  EXPECT_EQ(parsed.key.layer3, Layer3::other);
  EXPECT_EQ(parsed.header_length, 14);
}

TEST(Parse, lengths_that_cannot_be_are_refused) {
  auto ihl = tcp_frame();
  ihl[14] = 0x44;
  EXPECT_EQ(parse_whole(ihl).error, ParseError::bad_header);
  auto offset = tcp_frame();
  offset[46] = 0x40;
  EXPECT_EQ(parse_whole(offset).error, ParseError::bad_header);
}

}  // namespace
}  // namespace peerpath::net
