// The emulated NIC does the same over any fabric: without delay, with random ones, and over the computed fabric.
#include <gtest/gtest.h>

#include "devices/nic/test_driver.hpp"

namespace peerpath::nic::gve {
namespace {

using Frame = std::vector<std::uint8_t>;

Frame random_frame(Random& random, std::uint32_t flow, std::size_t payload) {
  net::FrameSpec spec;
  spec.key = net::generated_flow(flow);
  spec.key.layer4 = random.below(4) == 0 ? net::Layer4::udp : net::Layer4::tcp;
  spec.tcp_flags = 0x18;
  spec.tcp_sequence = static_cast<std::uint32_t>(random.below(1000)) * 100;
  spec.payload = Bytes{static_cast<std::int64_t>(payload)};
  const auto header = net::build(spec);
  Frame frame(header.bytes().begin(), header.bytes().end());
  for (std::size_t i = 0; i < payload; ++i) frame.push_back(static_cast<std::uint8_t>(random.below(256)));
  return frame;
}

/// What there is to compare after a run.
struct Outcome {
  std::vector<std::uint8_t> memory;
  std::map<QueueIndex, std::vector<Frame>> frames;  ///< by source port, which is the queue's own
  std::array<std::size_t, pcie::purposes> read{}, written{};
  std::int64_t received = 0, dropped = 0, under_way = 0;
  bool operator==(const Outcome&) const = default;
};

/// A driver that sends on two queues and receives on a third, and how the run with these delays ends. `seed` says what
/// it does; how much is under way at once follows from how often the fabric has a turn.
Outcome run(std::uint64_t seed, TestHost& host) {
  constexpr std::uint64_t packets = 0x300000;
  Nic nic{{.queues = 3}, host};
  TestDriver driver{nic, host};
  Random random{seed, "driver"};
  driver.steer_all(2);
  for (std::uint32_t q = 0; q < 2; ++q) EXPECT_EQ(driver.create_tx(q), 1u);
  EXPECT_EQ(driver.create_rx(2, 2048, 128), 1u);
  TestDriver other = driver;  // has the tail of the second transmit queue
  driver.post(2, 60);
  std::array<std::uint32_t, 2> sent{};
  for (std::uint64_t i = 0; i < 24; ++i) {
    host.tick();
    if (random.below(2) == 0) {
      nic.receive(random_frame(random, 7, 1 + random.below(3000)));
    } else {
      const auto q = static_cast<std::uint32_t>(random.below(2));
      const auto packet = random_frame(random, q, 40 + random.below(6000));
      const std::uint64_t at = packets + i * 0x4000;
      host.memory.write(at, packet);
      const auto header = net::parse(std::span{packet}.first(std::min<std::size_t>(packet.size(), 128)),
                                     Bytes{static_cast<std::int64_t>(packet.size())})
                              .header_length;
      const std::size_t cut = header + random.below(30);
      const std::vector<TestDriver::Piece> pieces{{at, cut}, {at + cut, packet.size() - cut}};
      (q == 0 ? driver : other)
          .send(q, pieces, random.below(2) == 0 ? 1000 : 0, static_cast<std::uint8_t>(header),
                static_cast<std::uint16_t>(sent[q]++));
    }
    host.run(static_cast<std::int64_t>(random.below(12)));
  }
  host.run();
  Outcome out{host.memory.bytes,
              {},
              host.bytes_read,
              host.bytes_written,
              nic.statistics().datapath.rx_frames,
              nic.statistics().datapath.dropped(),
              static_cast<std::int64_t>(nic.under_way())};
  for (const auto& frame : host.frames)
    out.frames[QueueIndex{static_cast<std::uint16_t>(load_be(frame, 34, 2))}].push_back(frame);
  return out;
}

class Delays : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Delays, ChangeNeitherMemoryNorFramesNorTheLedger) {
  TestHost without{0x400000};
  const auto expected = run(GetParam(), without);
  EXPECT_EQ(expected.under_way, 0);
  EXPECT_EQ(expected.dropped, 0);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TestHost delayed{0x400000, GetParam() * 100 + seed};
    const auto outcome = run(GetParam(), delayed);
    EXPECT_EQ(outcome.memory, expected.memory) << seed;
    EXPECT_EQ(outcome.frames, expected.frames) << seed;
    EXPECT_EQ(outcome.read, expected.read) << seed;
    EXPECT_EQ(outcome.written, expected.written) << seed;
    EXPECT_EQ(outcome, expected) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Delays, testing::Range(std::uint64_t{0}, std::uint64_t{20}));

}  // namespace
}  // namespace peerpath::nic::gve
