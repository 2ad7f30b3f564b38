#include "peerpath/net/ipv4_frame.hpp"

#include <gtest/gtest.h>

#include "peerpath/net/headers.hpp"

namespace peerpath::net {
namespace {

constexpr Ipv4Header header{.traffic_class = 0x6a,
                            .length = 120,
                            .identification = 0x1c46,
                            .protocol = protocol_udp,
                            .source = 0xac100a63,
                            .destination = 0xac100a0c};

std::array<std::uint8_t, Ipv4Frame::headers> written(const Ipv4Header& ip) {
  std::array<std::uint8_t, Ipv4Frame::headers> bytes{};
  FieldWriter to{bytes.data()};
  write(to, EthernetHeader{.destination = {2, 0, 0, 0, 0, 1}, .source = {2, 0, 0, 0, 0, 9}});
  write(to, ip);
  EXPECT_EQ(to.at(), bytes.data() + bytes.size());
  return bytes;
}

TEST(Ipv4Frame, has_the_bytes_of_rfc_791) {
  const std::array<std::uint8_t, Ipv4Frame::headers> wanted{
      2,   0,    0,    0,    0, 1,  2,  0,    0,    0,    0,    9,    0x08, 0,    0x45, 0x6a, 0,
      120, 0x1c, 0x46, 0x40, 0, 64, 17, 0xb1, 0x35, 0xac, 0x10, 0x0a, 0x63, 0xac, 0x10, 0x0a, 0x0c};
  EXPECT_EQ(written(header), wanted);
}

TEST(Ipv4Frame, is_read_as_it_was_written) {
  const auto bytes = written(header);
  const auto read = read_ipv4_frame(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ethernet.destination.back(), 1);
  EXPECT_EQ(read->ethernet.source.back(), 9);
  EXPECT_EQ(read->ip.traffic_class, header.traffic_class);
  EXPECT_EQ(read->ip.length, header.length);
  EXPECT_EQ(read->ip.identification, header.identification);
  EXPECT_EQ(read->ip.protocol, header.protocol);
  EXPECT_EQ(read->ip.source, header.source);
  EXPECT_EQ(read->ip.destination, header.destination);
}

TEST(Ipv4Frame, the_parser_finds_its_checksum_right) {
  auto icmp = header;
  icmp.protocol = 1;
  const auto parsed = parse(written(icmp), Bytes{EthernetHeader::size + header.length});
  EXPECT_EQ(parsed.error, ParseError::none);
  EXPECT_EQ(parsed.key.traffic_class, header.traffic_class);
}

TEST(Ipv4Frame, another_type_a_version_options_and_a_piece_are_none) {
  const auto bytes = written(header);
  for (const auto& [at, value] : {std::pair{12, 0x86}, {14, 0x65}, {14, 0x46}}) {
    auto other = bytes;
    other[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
    EXPECT_FALSE(read_ipv4_frame(other)) << at;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_ipv4_frame(std::span{bytes}.first(size))) << size;
}

}  // namespace
}  // namespace peerpath::net
