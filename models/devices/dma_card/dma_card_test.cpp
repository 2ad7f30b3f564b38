#include "devices/dma_card/dma_card.hpp"

#include <gtest/gtest.h>

#include "loop/loop.hpp"

namespace peerpath::dma_card {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// A card and a memory on one link of 100 Gb/s, 100 ns each way, 300 ns in the memory.
class Bench {
 public:
  explicit Bench(device::DmaCardConfig config) : config_{config} {
    fabric::Endpoint memory;
    memory.read_latency = 300ns;
    const fabric::LinkDirection wire{.rate = 100_Gbps, .propagation = 100ns};
    memory_ = topology_.add_endpoint("memory", memory);
    card_ = topology_.add_endpoint("card", fabric_endpoint(config, 100_Gbps));
    topology_.connect(memory_, card_, wire, wire);
  }

  Counters run(Stream stream, const ReadLimits& limits = {}) {
    stream.target = memory_;
    DmaCard card{config_, card_, {stream}};
    card.set_read_limits(limits);
    loop::Loop loop{topology_, fabric::Mode::event};
    loop.add(card, {.node = card_, .channels = 2, .windows = {}, .hears_arrivals = true});
    loop.run_until(Instant{1ms});
    EXPECT_TRUE(card.idle());
    return card.counters();
  }

  DmaCard::Busy busy_until(Stream stream, Duration passed) {
    stream.target = memory_;
    DmaCard card{config_, card_, {stream}};
    loop::Loop loop{topology_, fabric::Mode::event};
    loop.add(card, {.node = card_, .channels = 2, .windows = {}, .hears_arrivals = true});
    loop.run_until(Instant{passed});
    return card.busy_until(Instant{passed});
  }

 private:
  device::DmaCardConfig config_;
  fabric::Topology topology_;
  fabric::NodeId memory_, card_;
};

double gbps(const Counters& counters) {
  return 8e6 * static_cast<double>(counters.bytes.count()) /
         static_cast<double>(femtoseconds(counters.end - counters.begin));
}

Stream stream(Step step, Bytes size) {
  Stream s;
  s.steps = {step};
  s.sizes = {size};
  s.address = 0x1'0000'0000;
  s.window = 64_KiB;
  s.warm_up = 200;
  s.count = 1000;
  return s;
}

TEST(DmaCard, WritesFillTheLink) {
  EXPECT_NEAR(gbps(Bench{{}}.run(stream(Step::write, 256_B))), 100.0 * 256 / 280, 0.2);
}

TEST(DmaCard, TheEngineIsBusyNoLongerThanTheTimeThatHasPassed) {
  device::DmaCardConfig config;
  config.write_issue = config.read_issue = 1us;  // 64 transfers are taken up at once: work for 64 us
  for (const auto step : {Step::write, Step::read}) {
    auto endless = stream(step, 256_B);
    endless.count = 0;
    const auto busy = Bench{config}.busy_until(endless, 10us);
    EXPECT_EQ(step == Step::write ? busy.writing : busy.reading, 10us);
  }
}

TEST(DmaCard, ReadsAreBoundByTagsAndRoundTrip) {
  device::DmaCardConfig config;
  config.function.tags = 8;
  // request 24 B and completion 84 B on the line, 500 ns between
  const double round_trip = 500 + 24 * 0.08 + 84 * 0.08;
  EXPECT_NEAR(gbps(Bench{config}.run(stream(Step::read, 64_B))), 8 * 64 * 8 / round_trip, 0.5);
}

constexpr ReadLimits no_batches(Bytes buffer) {
  return {.buffer = buffer, .batched_buffer = buffer, .batch = 1_MiB, .left = 1_MiB};
}

TEST(DmaCard, ReadsInFlightShareABuffer) {
  device::DmaCardConfig config;
  config.function.max_payload = config.function.max_payload_supported = 256_B;
  config.function.tags = 4;
  const auto four = gbps(Bench{config}.run(stream(Step::read, 256_B)));
  config.function.tags = 32;
  EXPECT_GT(gbps(Bench{config}.run(stream(Step::read, 256_B))), 2 * four);
  EXPECT_NEAR(gbps(Bench{config}.run(stream(Step::read, 256_B), no_batches(1_KiB))), four, 0.01 * four);
  EXPECT_NEAR(gbps(Bench{config}.run(stream(Step::read, 512_B), no_batches(2_KiB))), 2 * four, 0.1 * four);
  EXPECT_GT(gbps(Bench{config}.run(stream(Step::read, 2048_B), no_batches(1_KiB))), 0) << "one is, however long";
  auto less = no_batches(2_KiB);
  less.batched_buffer = 1_KiB;
  EXPECT_NEAR(gbps(Bench{config}.run(stream(Step::read, 256_B), less)), four, 0.01 * four);
  EXPECT_NEAR(gbps(Bench{config}.run(stream(Step::read, 512_B), less)), 2 * four, 0.1 * four) << "they stream";
}

/// Time of one read of `size`, in nanoseconds.
double read_time(const device::DmaCardConfig& config, Bytes size, const ReadLimits& limits) {
  return static_cast<double>(size.count()) * 8 / gbps(Bench{config}.run(stream(Step::read, size), limits));
}

TEST(DmaCard, ABatchOfReadsWaitsForTheLastOne) {
  device::DmaCardConfig config;
  config.function.max_payload = config.function.max_payload_supported = 256_B;
  // eight of 256 B, all back before the next
  const ReadLimits whole{.buffer = 8_KiB, .batched_buffer = 8_KiB, .batch = 2_KiB, .left = 0_B};
  constexpr double round_trip = 500 + (24 + 280) * 0.08;
  EXPECT_NEAR(read_time(config, 256_B, whole), round_trip / 8 + 280 * 0.08 * 7 / 8, 1);
  EXPECT_NEAR(read_time(config, 512_B, whole), read_time(config, 512_B, no_batches(8_KiB)), 0.01) << "they stream";
  EXPECT_NEAR(read_time(config, 64_B, whole), read_time(config, 64_B, no_batches(8_KiB)), 0.01) << "single lines";
}

TEST(DmaCard, ABatchBeginsBesideWhatIsLeftOfTheLastOne) {
  device::DmaCardConfig config;
  config.function.max_payload = config.function.max_payload_supported = 256_B;
  // eight more whenever four are left: a round trip for each eight, of which four pass the link during it
  const ReadLimits early{.buffer = 8_KiB, .batched_buffer = 8_KiB, .batch = 2_KiB, .left = 1_KiB};
  constexpr double round_trip = 500 + (24 + 280) * 0.08;
  EXPECT_NEAR(read_time(config, 256_B, early), (round_trip + 3 * 280 * 0.08) / 8, 1);
}

TEST(DmaCard, TheEngineWorksAheadOfTheTags) {
  device::DmaCardConfig config;
  config.function.tags = 1;
  config.outstanding = 4;
  config.command = 200ns;
  const double alone = 500 + 24 * 0.08 + 84 * 0.08;  // the next command is spent meanwhile
  EXPECT_NEAR(gbps(Bench{config}.run(stream(Step::read, 64_B))), 64 * 8 / alone, 0.01);
}

TEST(DmaCard, TheEngineBoundsSmallWrites) {
  device::DmaCardConfig config;
  config.write_chunk = 17ns;
  config.command = 4ns;
  EXPECT_NEAR(gbps(Bench{config}.run(stream(Step::write, 64_B))), 64 * 8 / 21.0, 0.01);
}

TEST(DmaCard, AnOfferedRateIsKept) {
  auto s = stream(Step::write, 512_B);
  s.rate = 20_Gbps;
  EXPECT_NEAR(gbps(Bench{{}}.run(s)), 20.0, 0.05);
}

TEST(DmaCard, ADependentReadFollowsItsWrite) {
  device::DmaCardConfig config;
  config.outstanding = 1;
  config.turnaround = 50ns;
  auto both = stream(Step::write_then_read, 64_B);
  auto alone = stream(Step::read, 64_B);
  const auto with = Bench{config}.run(both), without = Bench{config}.run(alone);
  const auto extra = (with.latency - without.latency) / with.transfers;
  EXPECT_NEAR(static_cast<double>(femtoseconds(extra)) / 1e6, 100 + 88 * 0.08 + 50, 0.01);
  both.interface = Interface::command;
  EXPECT_LT(Bench{config}.run(both).latency, with.latency);
}

TEST(DmaCard, AlternatingStepsShareOneCount) {
  auto s = stream(Step::write, 256_B);
  s.steps = {Step::write, Step::read};
  const auto counters = Bench{{}}.run(s);
  EXPECT_EQ(counters.transfers, 800);
  EXPECT_EQ(counters.bytes, 800 * 256_B);
}

}  // namespace
}  // namespace peerpath::dma_card
