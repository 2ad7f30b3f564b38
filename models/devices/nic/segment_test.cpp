#include "devices/nic/segment.hpp"

#include <gtest/gtest.h>

namespace peerpath::nic {
namespace {

net::HeaderBytes header_of(net::Layer3 layer3, Bytes payload) {
  net::FrameSpec spec;
  spec.key = net::generated_flow(1);
  spec.key.layer3 = layer3;
  spec.payload = payload;
  spec.tcp_sequence = 0xffff'ff00;  // wraps
  spec.tcp_flags = 0x10 | net::tcp_psh | net::tcp_fin;
  spec.ip_id = 0xffff;
  return net::build(spec);
}

TEST(Segmenter, cuts_into_frames_that_parse) {
  for (const auto layer3 : {net::Layer3::ipv4, net::Layer3::ipv6}) {
    const Segmenter cut{header_of(layer3, Bytes{1000}), Bytes{10'000}, Bytes{4096}};
    ASSERT_EQ(cut.count(), 3);
    Bytes sum{};
    for (int i = 0; i < 3; ++i) {
      const auto s = cut.at(i);
      const auto parsed = net::parse(s.header.bytes(), Bytes{s.header.size} + s.payload);
      EXPECT_EQ(parsed.error, net::ParseError::none);
      EXPECT_EQ(parsed.payload, s.payload);
      EXPECT_EQ(s.offset, sum);
      EXPECT_EQ(parsed.tcp_sequence, 0xffff'ff00u + static_cast<std::uint32_t>(sum.count()));
      EXPECT_EQ((parsed.tcp_flags & (net::tcp_psh | net::tcp_fin)) != 0, i == 2);
      if (layer3 == net::Layer3::ipv4) {
        EXPECT_EQ(s.header.data[18] << 8 | s.header.data[19], (0xffff + i) & 0xffff);
      }
      sum += s.payload;
    }
    EXPECT_EQ(sum, Bytes{10'000});
  }
}

TEST(Segmenter, an_exact_multiple_has_no_empty_frame) {
  const Segmenter cut{header_of(net::Layer3::ipv4, Bytes{4096}), Bytes{8192}, Bytes{4096}};
  EXPECT_EQ(cut.count(), 2);
  EXPECT_EQ(cut.at(1).payload, Bytes{4096});
}

TEST(Segmenter, without_mss_the_packet_goes_as_it_is) {
  const auto header = header_of(net::Layer3::ipv4, Bytes{700});
  const Segmenter cut{header, Bytes{700}, Bytes{0}};
  ASSERT_EQ(cut.count(), 1);
  EXPECT_EQ(cut.at(0).header.data, header.data);
  EXPECT_EQ(cut.at(0).payload, Bytes{700});
}

}  // namespace
}  // namespace peerpath::nic
