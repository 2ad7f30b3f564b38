#include "transport/traffic/pattern_stream.hpp"

#include <gtest/gtest.h>

#include "peerpath/net/ethernet.hpp"

namespace peerpath::transport {
namespace {

using namespace literals;
using namespace std::chrono_literals;

net::ParsedFrame parse(const device::Frame& frame) {
  return net::parse(std::span{frame.header}.first(frame.header_size), frame.size);
}

TEST(PatternStream, FourKibOfPayloadTake4186BytesOfWire) {
  PatternStream stream{{.rate = 200_Gbps}, Random{1, "a"}};
  const auto first = *stream.next(), second = *stream.next();
  EXPECT_EQ(first.frame.header_size, 66);
  EXPECT_EQ(first.frame.size, 4162_B);
  EXPECT_EQ(first.ready, Instant{});
  EXPECT_EQ(second.ready, Instant{4186_B / 200_Gbps});  // 167.44 ns
  EXPECT_EQ(parse(first.frame).payload, 4096_B);
}

TEST(PatternStream, HeadersAreOfFlowsInTurnAndParse) {
  PatternStream stream{{.stream = 5, .rate = 200_Gbps, .payloads = {100_B, 2000_B, 0_B}, .flows = 2, .first_flow = 10},
                       Random{1, "a"}};
  std::uint32_t expected[2] = {};
  Bytes last[2] = {};
  for (int i = 0; i < 60; ++i) {
    const auto timed = *stream.next();
    const auto parsed = parse(timed.frame);
    const auto flow = static_cast<std::size_t>(i % 2);
    ASSERT_EQ(parsed.error, net::ParseError::none) << i;  // so the checksum of the IP header is right
    EXPECT_EQ(parsed.key, net::generated_flow(10 + static_cast<std::uint32_t>(flow)));
    EXPECT_EQ(parsed.payload, (std::array{100_B, 2000_B, 0_B}[static_cast<std::size_t>(i % 3)]));
    if (i < 2) expected[flow] = parsed.tcp_sequence;
    expected[flow] += static_cast<std::uint32_t>(i < 2 ? 0 : last[flow].count());
    EXPECT_EQ(parsed.tcp_sequence, expected[flow]);
    last[flow] = parsed.payload;
    EXPECT_EQ(timed.frame.handle, frame_handle(5, static_cast<std::uint64_t>(i)));
  }
}

TEST(PatternStream, OffersItsRateOnAWireThatIsFaster) {
  auto pattern = std::make_unique<PatternStream>(
      FramePattern{.rate = 50_Gbps, .payloads = {1000_B, 64_B, 4096_B}, .count = 3001}, Random{1, "a"});
  EthernetSender sender{200_Gbps};
  sender.add(std::move(pattern));
  Bytes before_last{};
  Instant last{};
  std::int64_t frames = 0;
  while (const auto arrival = sender.next()) {
    last = arrival->last_bit;
    if (++frames <= 3000) before_last += net::wire_size(arrival->frame.size);
  }
  EXPECT_EQ(frames, 3001);
  EXPECT_EQ(last, Instant{before_last / 50_Gbps + (1066_B + 12_B) / 200_Gbps});
}

TEST(PatternStream, PoissonTrafficNeverOverlapsOnTheWire) {
  EthernetSender sender{200_Gbps};
  sender.add(std::make_unique<PatternStream>(
      FramePattern{.rate = 190_Gbps, .arrival = Arrival::poisson, .count = 20000}, Random{1, "a"}));
  Instant last{};
  std::int64_t back_to_back = 0;
  while (const auto arrival = sender.next()) {
    if (last != Instant{}) {
      EXPECT_GE(arrival->last_bit - last, 4186_B / 200_Gbps);
      back_to_back += arrival->last_bit - last == 4186_B / 200_Gbps ? 1 : 0;
    }
    last = arrival->last_bit;
  }
  EXPECT_GT(back_to_back, 15000);  // the wire is 95 % full
  EXPECT_LT(back_to_back, 20000 - 1);
}

}  // namespace
}  // namespace peerpath::transport
