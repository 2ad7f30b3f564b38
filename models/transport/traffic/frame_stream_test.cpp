#include "transport/traffic/frame_stream.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "peerpath/net/ethernet.hpp"

namespace peerpath::transport {
namespace {

using namespace literals;
using namespace std::chrono_literals;

class Scripted final : public FrameStream {
 public:
  explicit Scripted(std::deque<TimedFrame> frames) : frames_{std::move(frames)} {}
  std::optional<TimedFrame> next() override {
    if (frames_.empty()) return {};
    const auto first = frames_.front();
    frames_.pop_front();
    return first;
  }

 private:
  std::deque<TimedFrame> frames_;
};

TimedFrame frame(std::uint64_t handle, Duration ready, Bytes size) {
  return {Instant{ready}, {.handle = handle, .size = size}};
}

TEST(EthernetSender, MergesItsStreamsAndKeepsTheGap) {
  EthernetSender sender{8_Gbps, 5ns};  // a byte a nanosecond
  sender.add(std::make_unique<Scripted>(std::deque{frame(1, 0ns, 100_B), frame(2, 1000ns, 100_B)}));
  sender.add(std::make_unique<Scripted>(std::deque{frame(11, 0ns, 200_B), frame(12, 990ns, 64_B)}));
  std::vector<std::pair<std::uint64_t, std::int64_t>> got, watched;
  sender.watch([&](const auto& a) { watched.push_back({a.frame.handle, femtoseconds(a.last_bit) / 1'000'000}); });
  while (const auto a = sender.next()) got.push_back({a->frame.handle, femtoseconds(a->last_bit) / 1'000'000});
  const decltype(got) expected{{1, 117},    // 8 + 100 + 4, and 5 of cable
                               {11, 341},   // waits until 124, then 212 and 5
                               {12, 1071},  // 76 and 5 after 990
                               {2, 1195}};  // waits until 1078, then 112 and 5
  EXPECT_EQ(got, expected);
  EXPECT_EQ(watched, expected);
}

TEST(EthernetSender, PadsShortFrames) {
  EthernetSender sender{8_Gbps};
  sender.add(std::make_unique<Scripted>(std::deque{frame(1, 0ns, 20_B), frame(2, 0ns, 20_B)}));
  EXPECT_EQ(sender.next()->last_bit, Instant{72ns});
  EXPECT_EQ(sender.next()->last_bit, Instant{84ns + 72ns});  // smallest frame, preamble and gap: 84 B
  EXPECT_FALSE(sender.next());
}

TEST(FrameHandle, NamesItsStream) {
  EXPECT_EQ(stream_of(frame_handle(7, 123456789)), 7);
  EXPECT_NE(frame_handle(7, 1), frame_handle(7, 2));
}

}  // namespace
}  // namespace peerpath::transport
