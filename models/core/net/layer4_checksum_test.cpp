#include "peerpath/net/layer4_checksum.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace peerpath::net {
namespace {

std::vector<std::uint8_t> frame_of(Layer3 layer3, Layer4 layer4, std::size_t payload) {
  FrameSpec spec;
  spec.key = generated_flow(7);
  spec.key.layer3 = layer3;
  spec.key.layer4 = layer4;
  spec.payload = Bytes{static_cast<std::int64_t>(payload)};
  const auto header = build(spec);
  std::vector<std::uint8_t> frame(header.bytes().begin(), header.bytes().end());
  for (std::size_t i = 0; i < payload; ++i) frame.push_back(static_cast<std::uint8_t>(i * 7 + 3));
  return frame;
}

ParsedFrame parsed(const std::vector<std::uint8_t>& frame) {
  return parse(frame, Bytes{static_cast<std::int64_t>(frame.size())});
}

class Layer4ChecksumOf : public testing::TestWithParam<std::tuple<Layer3, Layer4, std::size_t>> {};

TEST_P(Layer4ChecksumOf, WhatIsFilledInIsGoodAndOneFlippedBitIsBad) {
  const auto [layer3, layer4, payload] = GetParam();
  auto frame = frame_of(layer3, layer4, payload);
  const auto p = parsed(frame);
  fill_layer4(frame, p, frame.size() - p.layer4_offset);
  EXPECT_EQ(check_layer4(frame, p), Layer4Checksum::good);
  for (std::size_t i = p.layer4_offset; i < frame.size(); i += 13) {
    if (layer4 == Layer4::udp && (i - p.layer4_offset == 4 || i - p.layer4_offset == 5)) continue;  // another length
    frame[i] ^= 0x10;
    EXPECT_EQ(check_layer4(frame, p), Layer4Checksum::bad) << i;
    frame[i] ^= 0x10;
  }
}

INSTANTIATE_TEST_SUITE_P(Frames, Layer4ChecksumOf,
                         testing::Combine(testing::Values(Layer3::ipv4, Layer3::ipv6),
                                          testing::Values(Layer4::tcp, Layer4::udp),
                                          testing::Values(0u, 1u, 31u, 32u, 33u, 1447u, 8948u)));

TEST(Layer4Checksum, ZeroInUdpMeansNoneInIpv4AndIsWrongInIpv6) {
  auto v4 = frame_of(Layer3::ipv4, Layer4::udp, 10), v6 = frame_of(Layer3::ipv6, Layer4::udp, 10);
  EXPECT_EQ(check_layer4(v4, parsed(v4)), Layer4Checksum::absent);
  EXPECT_EQ(check_layer4(v6, parsed(v6)), Layer4Checksum::bad);
}

TEST(Layer4Checksum, ASumOfZeroIsSentAsAllOnes) {
  auto frame = frame_of(Layer3::ipv6, Layer4::udp, 2);
  const auto p = parsed(frame);
  // The payload word that makes the sum all ones, so that the checksum would be 0.
  fill_layer4(frame, p, frame.size() - p.layer4_offset);
  const unsigned checksum = static_cast<unsigned>(frame[p.layer4_offset + 6] << 8 | frame[p.layer4_offset + 7]);
  const std::size_t at = frame.size() - 2;
  const unsigned word = static_cast<unsigned>(frame[at] << 8 | frame[at + 1]) + checksum;
  const unsigned folded = (word & 0xffff) + (word >> 16);
  frame[at] = static_cast<std::uint8_t>(folded >> 8);
  frame[at + 1] = static_cast<std::uint8_t>(folded);
  fill_layer4(frame, p, frame.size() - p.layer4_offset);
  EXPECT_EQ(frame[p.layer4_offset + 6], 0xff);
  EXPECT_EQ(frame[p.layer4_offset + 7], 0xff);
  EXPECT_EQ(check_layer4(frame, p), Layer4Checksum::good);
}

TEST(Layer4Checksum, LengthsThatContradictAreNotJudged) {
  auto frame = frame_of(Layer3::ipv4, Layer4::udp, 10);
  const auto p = parsed(frame);
  frame[p.layer4_offset + 5] = 200;
  EXPECT_EQ(check_layer4(frame, p), Layer4Checksum::unknown);
  EXPECT_EQ(check_layer4(std::span{frame}.first(50), p), Layer4Checksum::unknown);
  const auto before = frame;
  fill_layer4(frame, p, 4000);
  EXPECT_EQ(frame, before);
}

}  // namespace
}  // namespace peerpath::net
