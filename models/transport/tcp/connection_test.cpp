#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "transport/tcp/channel.hpp"

namespace peerpath::tcp {
namespace {

using testing::Channel;
using testing::Faults;
using namespace std::chrono_literals;

Config small_rto(Config c = {}) {
  c.min_rto = 1ms;
  c.initial_rto = 1ms;
  c.ack_delay = 200us;
  return c;
}

/// Sends so many bytes from the first end, and says when the last was read.
Duration send(Channel& channel, std::int64_t bytes) {
  channel.write(0, bytes);
  channel.ends[0].close();
  channel.ends[1].close();
  EXPECT_TRUE(channel.run(Instant{100s}));
  EXPECT_EQ(channel.taken[1], bytes);
  EXPECT_FALSE(channel.wrong);
  return channel.now.time_since_epoch();
}

TEST(TcpConnection, OpensSendsAndCloses) {
  Channel channel{{}, {}, {}, 1};
  std::vector<int> flags;
  channel.seen = [&](int, const Segment& s) { flags.push_back(s.flags & (flag::syn | flag::fin | flag::ack)); };
  send(channel, 1000);
  using namespace flag;
  EXPECT_THAT(flags, ::testing::ElementsAre(syn, syn | ack, ack | fin, ack | fin, ack));
}

TEST(TcpConnection, SegmentsAreOfTheSmallerMss) {
  Config large;
  large.mtu = 9000;
  Channel channel{large, {}, {}, 1};
  std::uint32_t most = 0;
  channel.seen = [&](int, const Segment& s) { most = std::max(most, s.length); };
  send(channel, 1'000'000);
  EXPECT_EQ(most, 1448U);
}

TEST(TcpConnection, FillsTheWire) {
  Channel channel{{}, {}, {}, 1};
  const auto time = send(channel, 100'000'000);
  const auto least = Bytes{100'000'000 / 1448 * 1538} / channel.rate;
  EXPECT_LT(time, least * 101 / 100);
  EXPECT_GT(time, least);
}

TEST(TcpConnection, AcknowledgesEachSecondSegmentAfterTheStart) {
  Channel channel{{}, {}, {}, 1};
  int data = 0, acks = 0;
  channel.seen = [&](int from, const Segment& s) { ++(from == 0 && s.length > 0 ? data : acks); };
  send(channel, 1448 * 1000);
  EXPECT_EQ(data, 1000);
  EXPECT_NEAR(acks, 16 + (1000 - 16) / 2 + 4, 2);
}

TEST(TcpConnection, ALoneSegmentIsAcknowledgedAfterTheDelay) {
  Config c;
  c.acknowledge = Acknowledge::delayed;
  Channel channel{c, c, {}, 1};
  channel.write(0, 100);
  EXPECT_FALSE(channel.run(Instant{39ms}));
  EXPECT_EQ(channel.ends[0].sender().in_flight(), 100);
  EXPECT_FALSE(channel.run(Instant{41ms}));
  EXPECT_EQ(channel.ends[0].sender().in_flight(), 0);
}

TEST(TcpConnection, OneLossIsRepairedWithoutATimeout) {
  for (const bool sack : {true, false}) {
    Config c;
    c.sack = sack;
    Channel channel{c, c, {.lost_data = {50}}, 1};
    const auto time = send(channel, 1'000'000);
    const auto& counters = channel.ends[0].sender().counters();
    EXPECT_EQ(counters.sent_again, 1) << sack;
    EXPECT_EQ(counters.timeouts, 0) << sack;
    EXPECT_EQ(counters.recoveries, 1) << sack;
    EXPECT_LT(time, 2ms) << sack;
  }
}

TEST(TcpConnection, ManyLossesOfAWindowAreRepairedByBlocksInOneRecovery) {
  Config c;
  Channel channel{c, c, {.lost_data = {60, 62, 64, 66, 68, 70, 75}}, 1};
  channel.delay = 100us;
  send(channel, 1'000'000);
  const auto& counters = channel.ends[0].sender().counters();
  EXPECT_EQ(counters.sent_again, 7);
  EXPECT_EQ(counters.timeouts, 0);
  EXPECT_EQ(counters.recoveries, 1);
}

TEST(TcpConnection, ALostTailWaitsForTheTimeoutOfLinux) {
  Config c;
  Channel channel{c, c, {.lost_data = {99}}, 1};
  const auto time = send(channel, 144'800);
  EXPECT_EQ(channel.ends[0].sender().counters().timeouts, 1);
  // The segment before is acknowledged 40 ms late, and only then does the timer start anew.
  EXPECT_GT(time, 240ms);
  EXPECT_LT(time, 242ms);
}

TEST(TcpConnection, MemoryThatIsNotGivenBackClosesTheWindow) {
  Config c;
  c.receive_buffer = 1_MiB;
  Channel channel{c, c, {}, 1};
  channel.keeps_memory[1] = true;
  channel.write(0, 4 << 20);
  EXPECT_FALSE(channel.run(Instant{5s}));
  EXPECT_LE(channel.taken[1], 1 << 20);
  EXPECT_GE(channel.taken[1], (1 << 20) - 1448 * 2);
  const auto& sender = channel.ends[0].sender();
  EXPECT_TRUE(sender.closed());
  EXPECT_EQ(sender.counters().sent_again, 0);
  // 200 ms, and twice as long each time: at 0.2, 0.6, 1.4 and 3.0 s.
  EXPECT_EQ(sender.counters().probes, 4);
  channel.keeps_memory[1] = false;
  channel.ends[1].give_back(channel.taken[1]);
  channel.ends[0].close();
  channel.ends[1].close();
  EXPECT_TRUE(channel.run(Instant{10s}));
  EXPECT_EQ(channel.taken[1], 4 << 20);
  EXPECT_LT(channel.now, Instant{5010ms});
}

TEST(TcpConnection, AWindowUpdateThatIsLostIsFoundByTheTimer) {
  Config c;
  c.receive_buffer = 64_KiB;
  Channel channel{c, c, {}, 1};
  channel.keeps_memory[1] = true;
  channel.write(0, 200'000);
  channel.run(Instant{100ms});
  channel.keeps_memory[1] = false;
  channel.faults.flap_from = Instant{};
  channel.faults.flap_to = Instant{150ms};
  channel.ends[1].give_back(channel.taken[1]);
  channel.run(Instant{3s});
  EXPECT_EQ(channel.taken[1], 200'000);
  EXPECT_GT(channel.now, Instant{200ms});
  EXPECT_EQ(channel.ends[0].sender().counters().timeouts, 0);
}

TEST(TcpConnection, MarksHalveTheWindowOnceAWindow) {
  Config c;
  c.congestion = Congestion::reno;
  c.ecn = true;
  Channel channel{c, c, {.mark = 1000}, 1};
  channel.delay = 500us;
  send(channel, 3'000'000);
  const auto& sender = channel.ends[0].sender();
  EXPECT_GT(sender.counters().reductions, 3);
  EXPECT_LE(sender.congestion().window(), 4 * 1448);
  EXPECT_EQ(sender.counters().sent_again, 0);
}

TEST(TcpConnection, DctcpKnowsTheShareOfMarks) {
  Config c;
  c.congestion = Congestion::dctcp;
  Channel all{c, c, {.mark = 1000}, 1}, none{c, c, {}, 1};
  all.delay = none.delay = 500us;
  send(all, 3'000'000);
  send(none, 30'000'000);
  EXPECT_EQ(all.ends[0].sender().congestion().alpha(), 1024);
  EXPECT_LT(none.ends[0].sender().congestion().alpha(), 600);
  EXPECT_EQ(none.ends[0].sender().counters().reductions, 0);
}

TEST(TcpConnection, SequenceNumbersWrap) {
  Channel channel{{}, {}, {}, 1};
  Connection a{{}, 0xffffff00}, b{{}, 0xfffffff0};
  channel.ends[0] = a;
  channel.ends[1] = b;
  channel.initial[0] = 0xffffff00;
  channel.initial[1] = 0xfffffff0;
  channel.ends[0].connect();
  send(channel, 1'000'000);
}

/// Streams of both directions, with everything that may happen to them.
struct Case {
  Config a{}, b{};
  Faults faults{};
  std::int64_t bytes[2]{};
  Duration delay{}, reading[2]{};
  std::int64_t read_most[2]{1 << 30, 1 << 30};
};

Config draw_config(Random& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.below(n)); };
  Config c = small_rto();
  c.mtu = below(3) == 0 ? 9000 : below(2) == 0 ? 1500 : 576;
  c.congestion = static_cast<Congestion>(below(3));
  c.ecn = below(2) == 0;
  c.sack = below(3) != 0;
  c.timestamps = below(4) != 0;
  c.nagle = below(3) == 0;
  c.initial_window = 1 + below(20);
  c.slow_start = static_cast<SlowStart>(below(2));
  c.recovery = static_cast<Recovery>(below(2));
  c.acknowledge = static_cast<Acknowledge>(below(3));
  c.window_of = static_cast<WindowOf>(below(2));
  c.receive_buffer = below(2) == 0 ? Bytes{4096 + below(60'000)} : 1_MiB;
  return c;
}

Case draw(std::uint64_t seed) {
  Random random{seed, "tcp"};
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.below(n)); };
  Case c;
  c.a = draw_config(random);
  c.b = draw_config(random);
  if (below(4) != 0) c.faults.loss = below(150);
  if (below(3) == 0) c.faults.duplicate = below(100);
  if (below(3) == 0) c.faults.reorder = below(100);
  if (below(3) == 0) c.faults.mark = below(1000);
  if (below(4) == 0) {
    c.faults.flap_from = Instant{below(2000) * 1us};
    c.faults.flap_to = c.faults.flap_from + below(5000) * 1us;
  }
  for (const int end : {0, 1}) {
    c.bytes[end] = below(4) == 0 ? 0 : below(300'000);
    if (below(3) == 0) {
      c.reading[end] = (1 + below(500)) * 1us;
      c.read_most[end] = 1 + below(20'000);
    }
  }
  c.delay = (1 + below(100)) * 1us;
  return c;
}

TEST(TcpConnection, EachByteArrivesOnceInOrderAndNothingHangs) {
  const auto* wanted = std::getenv("PEERPATH_TCP_CASES");
  const int cases = wanted != nullptr ? std::atoi(wanted) : 400;
  std::int64_t again = 0, timeouts = 0, repeated = 0;
  for (int seed = 1; seed <= cases; ++seed) {
    const auto c = draw(static_cast<std::uint64_t>(seed));
    Channel channel{c.a, c.b, c.faults, static_cast<std::uint64_t>(seed)};
    channel.delay = c.delay;
    for (const int end : {0, 1}) {
      channel.reading[end] = c.reading[end];
      channel.read_most[end] = c.read_most[end];
      channel.write(end, c.bytes[end]);
      channel.ends[end].close();
    }
    ASSERT_TRUE(channel.run(Instant{3000s})) << "hangs with seed " << seed;
    ASSERT_FALSE(channel.wrong) << "seed " << seed;
    for (const int end : {0, 1}) {
      ASSERT_EQ(channel.taken[end], c.bytes[1 - end]) << "seed " << seed;
      again += channel.ends[end].sender().counters().sent_again;
      timeouts += channel.ends[end].sender().counters().timeouts;
      repeated += channel.ends[end].receiver().repeated();
    }
  }
  EXPECT_GT(again, cases);
  EXPECT_GT(timeouts, cases / 4);
  EXPECT_GT(repeated, cases);
}

}  // namespace
}  // namespace peerpath::tcp
