#include "transport/traffic/replay_stream.hpp"

#include <gtest/gtest.h>

namespace peerpath::transport {
namespace {

using namespace literals;
using namespace std::chrono_literals;

std::shared_ptr<const std::vector<CapturedFrame>> three() {
  return std::make_shared<const std::vector<CapturedFrame>>(
      std::vector<CapturedFrame>{{1'700'000'000'000'000'500ns, {1, 2, 3}, 100_B},
                                 {1'700'000'000'000'000'000ns, std::vector<std::uint8_t>(200, 7), 1500_B},
                                 {1'700'000'000'000'000'500ns, {4}, 20_B}});
}

TEST(ReplayStream, KeepsTheTimingOfTheCapture) {
  ReplayStream stream{three(), {.stream = 2, .start = Instant{10ns}}};
  const auto a = *stream.next(), b = *stream.next(), c = *stream.next();
  EXPECT_FALSE(stream.next());
  EXPECT_EQ(a.ready, Instant{10ns});
  EXPECT_EQ(b.ready, Instant{510ns});
  EXPECT_EQ(c.ready, Instant{510ns});
  EXPECT_EQ(a.frame.size, 1500_B);
  EXPECT_EQ(a.frame.header_size, device::Frame::header_capacity);
  EXPECT_EQ(b.frame.header_size, 3);
  EXPECT_EQ(b.frame.header[2], 3);
  EXPECT_EQ(c.frame.size, 60_B);  // as it was on the wire
  EXPECT_EQ(c.frame.handle, frame_handle(2, 2));
}

TEST(ReplayStream, StretchesIt) {
  ReplayStream stream{three(), {.scale_millionths = 2'500'000}};
  stream.next();
  EXPECT_EQ(stream.next()->ready, Instant{1250ns});
}

TEST(ReplayStream, EndsBeforeTimesThatCannotBeCounted) {
  const auto apart = std::make_shared<const std::vector<CapturedFrame>>(
      std::vector<CapturedFrame>{{0ns, {1}, 100_B}, {8ms, {1}, 100_B}, {10ms, {1}, 100_B}, {20s, {1}, 100_B}});
  ReplayStream stream{apart, {.scale_millionths = 1'000'000'000'000}};
  EXPECT_EQ(stream.next()->ready, Instant{});
  EXPECT_EQ(stream.next()->ready, Instant{8000s});
  EXPECT_FALSE(stream.next());
  EXPECT_FALSE(stream.next());
}

TEST(ReplayStream, AnEmptyCaptureSendsNothing) {
  ReplayStream stream{std::make_shared<const std::vector<CapturedFrame>>(), {}};
  EXPECT_FALSE(stream.next());
}

}  // namespace
}  // namespace peerpath::transport
