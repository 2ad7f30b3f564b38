#include "transport/tcp/frame.hpp"

#include <gtest/gtest.h>

#include "peerpath/net/headers.hpp"
#include "peerpath/net/layer4_checksum.hpp"

namespace peerpath::tcp {
namespace {

Segment sample() {
  Segment s;
  s.sequence = 0x12345678, s.acknowledgement = 0x9abcdef0, s.length = 5, s.window = 4321;
  s.flags = flag::ack | flag::psh | flag::ece;
  s.timestamps = true, s.timestamp = 77, s.echo = 66;
  s.blocks = 3;
  s.sack = {SackBlock{1, 2}, SackBlock{3, 4}, SackBlock{5, 6}};
  return s;
}

Addresses between_two_hosts() {
  Addresses a;
  a.source_ip = 0x0a000001, a.destination_ip = 0x0a000002, a.source_port = 40000, a.destination_port = 5001, a.ecn = 2;
  a.source_mac = {2, 0, 0, 0, 0, 1};
  a.destination_mac = {2, 0, 0, 0, 0, 2};
  return a;
}

TEST(TcpFrame, SaysTheSameWhenReadAgain) {
  auto s = sample();
  const std::vector<std::uint8_t> payload{1, 2, 3, 4, 5};
  const auto frame = encode(s, between_two_hosts(), payload);
  EXPECT_EQ(frame.size(), frame_size(s));
  EXPECT_EQ(header_size(s), 60U);
  const auto read = decode(frame);
  ASSERT_EQ(read.error, DecodeError::none);
  EXPECT_EQ(read.addresses, between_two_hosts());
  EXPECT_EQ(read.segment.sequence, s.sequence);
  EXPECT_EQ(read.segment.blocks, 3);
  EXPECT_EQ(read.segment.sack[2].end, 6U);
  EXPECT_EQ(read.segment.echo, 66U);
  EXPECT_EQ(std::vector(read.payload.begin(), read.payload.end()), payload);
  const auto parsed = net::parse(frame, Bytes{static_cast<std::int64_t>(frame.size())});
  EXPECT_EQ(parsed.error, net::ParseError::none);
  EXPECT_EQ(net::check_layer4(frame, parsed), net::Layer4Checksum::good);
}

TEST(TcpFrame, ASynHasItsOptions) {
  for (const bool timestamps : {true, false})
    for (const bool sack : {true, false}) {
      Segment s;
      s.flags = flag::syn;
      s.mss = 1460, s.scale = 9, s.timestamps = timestamps, s.sack_permitted = sack;
      const auto read = decode(encode(s, between_two_hosts()));
      ASSERT_EQ(read.error, DecodeError::none);
      EXPECT_EQ(read.segment.mss, 1460);
      EXPECT_EQ(read.segment.scale, 9);
      EXPECT_EQ(read.segment.timestamps, timestamps);
      EXPECT_EQ(read.segment.sack_permitted, sack);
    }
}

TEST(TcpFrame, WrongFramesAreRefused) {
  const auto good = encode(sample(), between_two_hosts());
  auto wrong = good;
  wrong.back() ^= 1;
  EXPECT_EQ(decode(wrong).error, DecodeError::bad_checksum);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(decode(std::span{good}.first(size)).error, DecodeError::none) << size;
  wrong = good;
  wrong[14 + 20 + 20 + 3] = 1;  // an option shorter than its own header
  EXPECT_EQ(decode(wrong).error, DecodeError::bad_option);
  wrong = good;
  wrong[14 + 9] = 17;
  EXPECT_EQ(decode(wrong).error, DecodeError::not_tcp);
}

}  // namespace
}  // namespace peerpath::tcp
