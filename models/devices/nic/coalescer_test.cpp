#include "devices/nic/coalescer.hpp"

#include <gtest/gtest.h>

#include "peerpath/net/checksum.hpp"

namespace peerpath::nic {
namespace {

using Bytes8 = std::vector<std::uint8_t>;

class Coalesce : public testing::TestWithParam<net::Layer3> {
 protected:
  struct Out {
    Bytes8 frame;
    std::uint16_t segment = 0;
  };
  /// The n-th segment of `size` bytes of a flow, without changes to its headers.
  Bytes8 segment(std::uint32_t n, std::size_t size = 100, std::uint8_t flags = 0x10, std::uint32_t flow = 1) {
    net::FrameSpec spec;
    spec.key = net::generated_flow(flow);
    spec.key.layer3 = GetParam();
    spec.payload = Bytes{static_cast<std::int64_t>(size)};
    spec.tcp_sequence = 0xffff'ff00 + n * 100;
    spec.tcp_flags = flags;
    spec.ip_id = static_cast<std::uint16_t>(n);
    const auto header = net::build(spec);
    Bytes8 frame(header.bytes().begin(), header.bytes().end());
    for (std::size_t i = 0; i < size; ++i) frame.push_back(static_cast<std::uint8_t>(n * 100 + i));
    return frame;
  }
  static net::ParsedFrame parsed(const Bytes8& frame) {
    return net::parse(std::span{frame}.first(std::min<std::size_t>(frame.size(), 128)),
                      Bytes{static_cast<std::int64_t>(frame.size())});
  }
  void take(const Bytes8& frame) { coalescer.take(frame, parsed(frame), deliver); }
  void flush() {
    while (coalescer.holds()) coalescer.flush_oldest(deliver);
  }
  std::size_t payload(std::size_t i) { return static_cast<std::size_t>(parsed(out[i].frame).payload.count()); }

  Coalescer coalescer;
  std::vector<Out> out;
  Coalescer::Deliver deliver = [this](std::span<const std::uint8_t> frame, std::uint16_t segment) {
    out.push_back({{frame.begin(), frame.end()}, segment});
  };
};

TEST_P(Coalesce, SegmentsInARowBecomeOneFrameWithRightHeaders) {
  for (std::uint32_t n = 0; n < 5; ++n) take(segment(n));
  EXPECT_TRUE(out.empty() && coalescer.holds());
  flush();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].segment, 100);
  EXPECT_EQ(parsed(out[0].frame).error, net::ParseError::none) << "IP length and header checksum";
  EXPECT_EQ(payload(0), 500u);
  const auto whole = parsed(out[0].frame);
  for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(out[0].frame[whole.header_length + i], static_cast<std::uint8_t>(i));
}

TEST_P(Coalesce, AShorterSegmentOrPushEndsIt) {
  take(segment(0));
  take(segment(1, 40));
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(payload(0), 140u);
  take(segment(5));
  take(segment(6, 100, 0x18));
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(payload(1), 200u);
  EXPECT_NE(parsed(out[1].frame).tcp_flags & net::tcp_psh, 0);
  EXPECT_FALSE(coalescer.holds());
}

TEST_P(Coalesce, ALargerSegmentGapsAndOtherFlagsGoBehindWhatWasHeld) {
  for (const auto& second : {segment(1, 150), segment(2), segment(0), segment(1, 100, 0x11), segment(1, 100, 0x14),
                             segment(1, 100, 0x02), segment(1, 100, 0x30), segment(1, 0)}) {
    out.clear();
    take(segment(0));
    take(second);
    flush();
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[0].frame, segment(0));
    EXPECT_EQ(out[1].frame, second);
    EXPECT_EQ(out[0].segment + out[1].segment, 0);
  }
}

TEST_P(Coalesce, EveryHeaderByteThatMattersKeepsThemApart) {
  const auto p = parsed(segment(0));
  const std::size_t ip = p.ip_offset, tcp = p.layer4_offset;
  std::vector<std::size_t> bytes{0, 6, tcp + 11, tcp + 30};  // MAC addresses, acknowledgement, an option
  if (GetParam() == net::Layer3::ipv4)
    bytes.insert(bytes.end(), {ip + 1, ip + 8});  // TOS, TTL
  else
    bytes.insert(bytes.end(), {ip + 1, ip + 3, ip + 7});  // traffic class, flow label, hop limit
  for (const auto at : bytes) {
    out.clear();
    take(segment(0));
    auto other = segment(1);
    other[at] ^= 4;
    coalescer.take(other, parsed(segment(1)), deliver);
    flush();
    EXPECT_EQ(out.size(), 2u) << at;
  }
}

TEST_P(Coalesce, FlowsAreApartAndOnlySoManyAreHeld) {
  for (std::uint32_t n = 0; n < 3; ++n)
    for (std::uint32_t flow = 0; flow < Coalescer::most_flows; ++flow) take(segment(n, 100, 0x10, flow));
  EXPECT_TRUE(out.empty());
  take(segment(0, 100, 0x10, 99));
  EXPECT_EQ(out.size(), 1u);
  flush();
  EXPECT_EQ(out.size(), Coalescer::most_flows + 1);
}

TEST_P(Coalesce, AFrameThatIsFullGoes) {
  for (std::uint32_t n = 0; n < 1000; ++n) take(segment(n));
  flush();
  std::size_t sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_LE(payload(i), Coalescer::most_payload);
    sum += payload(i);
  }
  EXPECT_EQ(sum, 100'000u);
  EXPECT_EQ(out.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Ip, Coalesce, testing::Values(net::Layer3::ipv4, net::Layer3::ipv6));

class Ipv4Id : public Coalesce {};
TEST_P(Ipv4Id, CountsOrStaysWithDontFragment) {
  const auto with = [&](std::uint32_t n, std::uint16_t id, bool df) {
    auto frame = segment(n);
    const std::size_t ip = parsed(frame).ip_offset;
    frame[ip + 4] = static_cast<std::uint8_t>(id >> 8);
    frame[ip + 5] = static_cast<std::uint8_t>(id);
    frame[ip + 6] = df ? 0x40 : 0;
    frame[ip + 10] = frame[ip + 11] = 0;
    net::InternetChecksum sum;
    sum.add(std::span{frame}.subspan(ip, 20));
    frame[ip + 10] = static_cast<std::uint8_t>(sum.value() >> 8);
    frame[ip + 11] = static_cast<std::uint8_t>(sum.value());
    return frame;
  };
  const auto frames = [&](std::initializer_list<std::uint16_t> ids, bool df) {
    out.clear();
    std::uint32_t n = 0;
    for (const auto id : ids) take(with(n++, id, df));
    flush();
    return out.size();
  };
  EXPECT_EQ(frames({7, 8, 9}, false), 1u);
  EXPECT_EQ(frames({7, 7, 7}, false), 3u);
  EXPECT_EQ(frames({7, 7, 7}, true), 1u);
  EXPECT_EQ(frames({7, 8, 9}, true), 1u);
  EXPECT_EQ(frames({7, 7, 8}, true), 2u);
  EXPECT_EQ(frames({7, 8, 8}, true), 2u);
  EXPECT_EQ(frames({7, 20, 21}, true), 2u);
}
INSTANTIATE_TEST_SUITE_P(Ip, Ipv4Id, testing::Values(net::Layer3::ipv4));

}  // namespace
}  // namespace peerpath::nic
