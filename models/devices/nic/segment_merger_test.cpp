#include "devices/nic/segment_merger.hpp"

#include <gtest/gtest.h>

namespace peerpath::nic {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr std::uint8_t ack = 0x10, fin = 0x11;

class Merging : public testing::Test {
 protected:
  Segment segment(std::int64_t number, std::uint32_t flow = 0, std::int64_t payload = 1000) {
    Segment s;
    s.frame.record = {
        .handle = static_cast<std::uint64_t>(number), .payload = Bytes{payload}, .frame = Bytes{payload + 66}};
    s.frame.header_length = 66;
    s.frame.ready = Instant{number * 1us};
    s.key = net::generated_flow(flow);
    s.sequence = static_cast<std::uint32_t>(number * 1000);
    s.flags = ack;
    s.most = 64_KiB;
    return s;
  }
  void take(const Segment& s, Instant now = {}) {
    merger.take(s, now, [&](const RxFrame& f) { out.push_back(f); });
  }
  std::vector<std::int64_t> payloads() {
    std::vector<std::int64_t> all;
    for (const auto& f : std::exchange(out, {})) all.push_back(f.record.payload.count());
    return all;
  }
  using Sizes = std::vector<std::int64_t>;

  SegmentMerger merger{4000_B, 5us};
  std::vector<RxFrame> out;
};

TEST_F(Merging, SegmentsThatFollowBecomeOnePacketOfTheFirst) {
  for (int n = 0; n < 4; ++n) take(segment(n));
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].record.payload, 4000_B);
  EXPECT_EQ(out[0].record.frame, 4264_B);
  EXPECT_EQ(out[0].record.handle, 0u);
  EXPECT_EQ(out[0].ready, Instant{3us}) << "that of the last";
  EXPECT_EQ(merger.due(), never);
}

TEST_F(Merging, AGapAnotherFlagOrALongerOneLetsThePacketGoFirst) {
  take(segment(0));
  take(segment(2));
  EXPECT_EQ(payloads(), (Sizes{1000})) << "a gap";
  auto last = segment(3);
  last.flags = fin;
  take(last);
  EXPECT_EQ(payloads(), (Sizes{1000, 1000})) << "FIN goes by itself, behind what was held";
  take(segment(4, 0, 500));
  take(segment(4, 0, 1000));
  EXPECT_EQ(payloads(), (Sizes{500}));
}

TEST_F(Merging, PshAndAShorterSegmentEndThePacket) {
  take(segment(0));
  auto push = segment(1);
  push.flags |= net::tcp_psh;
  take(push);
  EXPECT_EQ(payloads(), (Sizes{2000}));
  take(segment(2));
  take(segment(3, 0, 400));
  EXPECT_EQ(payloads(), (Sizes{1400}));
}

TEST_F(Merging, FlowsAndQueuesAreHeldApart) {
  for (int n = 0; n < 4; ++n)
    for (const std::uint32_t flow : {0u, 1u}) take(segment(n, flow));
  EXPECT_EQ(payloads(), (Sizes{4000, 4000}));
  take(segment(0));
  auto moved = segment(1);
  moved.frame.record.queue = QueueIndex{1};
  take(moved);
  EXPECT_EQ(payloads(), (Sizes{1000})) << "steered to another queue meanwhile";
}

TEST_F(Merging, WaitsNoLongerThanItMay) {
  take(segment(0), Instant{1us});
  take(segment(1), Instant{4us});
  EXPECT_EQ(merger.due(), Instant{6us}) << "from the first on";
  merger.on_timer(Instant{5us}, [&](const RxFrame& f) { out.push_back(f); });
  EXPECT_TRUE(out.empty());
  merger.on_timer(Instant{6us}, [&](const RxFrame& f) { out.push_back(f); });
  EXPECT_EQ(payloads(), (Sizes{2000}));
}

TEST_F(Merging, BuffersOfTheQueueBoundIt) {
  for (int n = 0; n < 2; ++n) {
    auto s = segment(n);
    s.most = 2500_B;
    take(s);
  }
  EXPECT_EQ(payloads(), (Sizes{2000}));
}

TEST_F(Merging, TheFlowHeldLongestMakesRoom) {
  for (std::uint32_t flow = 0; flow <= SegmentMerger::most_flows; ++flow) take(segment(0, flow, 900 + flow % 2));
  EXPECT_EQ(payloads(), (Sizes{900}));
}

TEST_F(Merging, AStoppedQueueLosesWhatIsHeld) {
  take(segment(0));
  merger.drop(QueueIndex{0}, [&](const RxFrame& f) { out.push_back(f); });
  EXPECT_EQ(payloads(), (Sizes{1000}));
  EXPECT_EQ(merger.due(), never);
}

}  // namespace
}  // namespace peerpath::nic
