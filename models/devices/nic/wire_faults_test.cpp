#include "devices/nic/wire_faults.hpp"

#include <gtest/gtest.h>

#include "peerpath/net/headers.hpp"

namespace peerpath::nic {
namespace {

/// A frame whose payload is `value`, several times; none if `size` is 0.
std::vector<std::uint8_t> frame_of(std::uint8_t value, int size = 100) {
  const auto header = net::build({.key = net::generated_flow(0), .payload = Bytes{size}});
  std::vector<std::uint8_t> frame(header.bytes().begin(), header.bytes().end());
  frame.insert(frame.end(), static_cast<std::size_t>(size), value);
  return frame;
}

/// The last byte of each frame that comes through.
std::vector<int> through(WireFaults& faults, int frames) {
  std::vector<int> last;
  for (int n = 1; n <= frames; ++n) {
    faults.take(frame_of(static_cast<std::uint8_t>(n)), [&](auto frame) { last.push_back(frame.back()); });
    faults.take(frame_of(0, 0), [](auto) {});
  }
  return last;
}

TEST(WireFaults, NoneIsNone) {
  WireFaults faults;
  EXPECT_EQ(through(faults, 3), (std::vector{1, 2, 3}));
}

TEST(WireFaults, LosesDamagesAndDelaysTheFrameThatItIsTold) {
  WireFaults faults;
  faults.add(2, WireFault::drop);
  faults.add(3, WireFault::corrupt);
  faults.add(5, WireFault::reorder);
  EXPECT_EQ(through(faults, 7), (std::vector{1, 255 - 3, 4, 6, 5, 7}));
}

TEST(WireFaults, TwoLateFramesInARowComeOneAfterTheOther) {
  WireFaults faults;
  faults.add(1, WireFault::reorder);
  faults.add(2, WireFault::reorder);
  EXPECT_EQ(through(faults, 3), (std::vector{1, 3, 2}));
}

}  // namespace
}  // namespace peerpath::nic
