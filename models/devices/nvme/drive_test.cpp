#include "devices/nvme/drive.hpp"

#include <gtest/gtest.h>

#include "devices/nvme/submitter.hpp"
#include "loop/loop.hpp"

namespace peerpath::nvme {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr std::uint64_t registers = 0x9000'0000, submissions_at = 0x1000'0000, completions_at = 0x1100'0000,
                        lists_at = 0x1200'0000, data_at = 0x2000'0000, interrupts_at = 0xfee0'0000;

/// One command at a time of 512 B, which the medium has 20 us after its turn at 512 B/us.
device::NvmeConfig simple() {
  device::NvmeConfig config;
  config.queue_entries = 16;
  config.queue_depth = 1;
  config.read_latency = config.write_latency = 20us;
  config.read_rate = config.write_rate = BitRate{4'096'000'000};
  return config;
}

/// A drive and a memory on one link of 100 Gb/s, 100 ns each way, 300 ns in the memory, which has queues and data.
class NvmeBench {
 public:
  NvmeBench(const device::NvmeConfig& config, Opcode opcode, Bytes size, BitRate rate = 200_Gbps,
            std::uint64_t address = data_at)
      : pair{config.queue_entries, config.queue_depth}, size_{size} {
    fabric::Endpoint memory;
    memory.read_latency = 300ns;
    const fabric::LinkDirection wire{.rate = 100_Gbps, .propagation = 100ns};
    const auto host = topology_.add_endpoint("memory", memory);
    const auto self = topology_.add_endpoint("drive", fabric_endpoint(config));
    topology_.connect(host, self, wire, wire);
    pair.target = host;
    pair.sq_address = submissions_at;
    pair.cq_address = completions_at;
    pair.prp_address = lists_at;
    pair.msi_address = interrupts_at;
    drive.emplace(config, self, host, std::vector{&pair});
    submitter.emplace(self, registers, std::vector{&pair},
                      std::vector<Stream>{{opcode,
                                           address,
                                           Bytes{1 << 20},
                                           {size},
                                           rate,
                                           [this](Instant begin, Instant end, Bytes bytes) {
                                             EXPECT_EQ(bytes, size_);
                                             ++done;
                                             first = done == 1 ? end - begin : first;
                                           },
                                           config.submit_time}});
    loop_.emplace(topology_, fabric::Mode::event);
    loop_->add(*drive, {.node = self, .channels = drive_channels, .hears_arrivals = true});
    loop_->add(*submitter, {.node = host, .windows = {{completions_at, 0x10'0000}, {interrupts_at, 0x1000}}});
  }

  void run(Duration time) { loop_->run_until(Instant{time}); }

  QueuePair pair;
  std::optional<Drive> drive;
  std::optional<Submitter> submitter;
  std::int64_t done = 0;
  Duration first{};  ///< latency of the first command

 private:
  Bytes size_;
  fabric::Topology topology_;
  std::optional<loop::Loop> loop_;
};

/// At 100 Gb/s a byte takes 80 ps. Each TLP has a header of 12 B and 8 B of framing.
///   doorbell   20 + 4 B             and 100 ns of wire
///   fetch      20 B, 20 + 64 B      and 100 ns there, 300 ns in the memory, 100 ns back
///   medium     20 us, 512 B at 512 B/us: 1 us
///   data       2 x (20 + 256 B)
///   entry      20 + 16 B            in the wake of the data
///   interrupt  20 + 4 B             likewise, and 100 ns of wire for all three
TEST(NvmeDrive, LatencyOfAReadIsTheSumOfItsSteps) {
  NvmeBench bench{simple(), Opcode::read, 512_B};
  bench.run(25us);
  EXPECT_EQ(bench.done, 1);
  constexpr std::int64_t on_the_wire = 24 + 20 + 84 + 552 + 36 + 24;
  EXPECT_EQ(bench.first, 4 * 100ns + 300ns + 21us + on_the_wire * Duration{80'000});
}

/// As above, but the data are read before the medium has its turn: 20 B there, 2 x (20 + 256 B) back.
TEST(NvmeDrive, LatencyOfAWriteIsTheSumOfItsSteps) {
  NvmeBench bench{simple(), Opcode::write, 512_B};
  bench.run(25us);
  EXPECT_EQ(bench.done, 1);
  constexpr std::int64_t on_the_wire = 24 + 20 + 84 + 20 + 552 + 36 + 24;
  EXPECT_EQ(bench.first, 6 * 100ns + 2 * 300ns + 21us + on_the_wire * Duration{80'000});
}

TEST(NvmeDrive, PollingSavesTheInterrupt) {
  auto config = simple();
  config.interrupt_threshold = 0;
  NvmeBench bench{config, Opcode::read, 512_B};
  bench.run(25us);
  constexpr std::int64_t on_the_wire = 24 + 20 + 84 + 552 + 36;
  EXPECT_EQ(bench.first, 4 * 100ns + 300ns + 21us + on_the_wire * Duration{80'000});
  EXPECT_EQ(bench.drive->counters().interrupts, 0);
}

TEST(NvmeDrive, ManyCommandsReachTheRateOfTheMedium) {
  auto config = simple();
  config.queue_depth = 15;
  config.queue_entries = 64;
  config.read_rate = 8_Gbps;
  config.max_transfer = 32_KiB;
  NvmeBench bench{config, Opcode::read, 32_KiB};  // 33 us each
  bench.run(10ms);
  const double reached = static_cast<double>(bench.done) * 32768 * 8 / 10e6;
  EXPECT_NEAR(reached, 8.0, 0.1);
}

// The medium would do 2.4 million a second, Little's law with 64 in flight 3; the core does 500,000.
TEST(NvmeDrive, TheCoreThatSubmitsIsALimit) {
  auto config = simple();
  config.queue_depth = 64;
  config.queue_entries = 128;
  config.read_rate = 80_Gbps;
  config.submit_time = 2us;
  NvmeBench bench{config, Opcode::read, 4_KiB};
  bench.run(10ms);
  // One every 2 us from the start on; those of the last 25 us are not over.
  EXPECT_NEAR(static_cast<double>(bench.submitter->submitted()), 5000, 1);
  EXPECT_EQ(bench.submitter->doorbells() - bench.submitter->submitted(), bench.done) << "one for each completion";
  EXPECT_GT(bench.done, 4980);
}

TEST(NvmeDrive, FewCommandsReachWhatLittlesLawSays) {
  auto config = simple();
  config.queue_depth = 4;
  config.read_rate = 80_Gbps;
  NvmeBench bench{config, Opcode::read, 4_KiB};
  bench.run(10ms);
  const auto predicted = 4 * 10ms / bench.first;
  EXPECT_NEAR(static_cast<double>(bench.done), static_cast<double>(predicted), 0.03 * static_cast<double>(predicted));
}

TEST(NvmeDrive, QueuesWrapAndLoseNoCommand) {
  auto config = simple();
  config.queue_entries = 4;
  config.queue_depth = 3;
  config.read_rate = 80_Gbps;
  // One a 30 us, the last at 990 us of 34: all are over at 1015 us.
  NvmeBench bench{config, Opcode::read, 4_KiB, BitRate{4096 * 8 * 1'000'000LL / 30}};
  bench.run(1015us);
  const auto& counters = bench.drive->counters();
  EXPECT_EQ(bench.submitter->submitted(), 34);
  EXPECT_EQ(bench.submitter->completed(), 34);
  EXPECT_EQ(bench.submitter->in_flight(), 0);
  EXPECT_EQ(counters.fetched, 34);
  EXPECT_EQ(counters.reads, 34);
  EXPECT_EQ(counters.failed, 0);
  EXPECT_EQ(counters.read, 34 * 4_KiB);
  EXPECT_EQ(bench.done, 34);
  EXPECT_EQ(bench.drive->in_flight(), 0);
}

/// The first seven are offered one by one, and so are their doorbells. Of the next seven, after one interrupt for all,
/// one is the last entry of the ring and six are its first.
TEST(NvmeDrive, ABatchIsOneReadAndEndsWhereTheRingDoes) {
  auto config = simple();
  config.queue_entries = 8;
  config.queue_depth = 7;
  config.read_latency = 100us;
  config.interrupt_threshold = 7;
  config.interrupt_time = 1ms;
  NvmeBench bench{config, Opcode::read, 512_B};
  bench.run(150us);
  EXPECT_EQ(bench.drive->counters().fetched, 7 + 7);
  EXPECT_EQ(bench.drive->counters().fetches, 7 + 2);
  config.fetch_batch = 2;
  NvmeBench small{config, Opcode::read, 512_B};
  small.run(150us);
  EXPECT_EQ(small.drive->counters().fetched, 7 + 7);
  EXPECT_EQ(small.drive->counters().fetches, 7 + 1 + 3);
}

TEST(NvmeDrive, FetchesAPrpListForThreePagesAndMore) {
  for (const auto& [address, size, lists] :
       {std::tuple{data_at, 8_KiB, 0}, {data_at + 512, 8_KiB, 1}, {data_at, 12_KiB, 1}}) {
    NvmeBench bench{simple(), Opcode::read, size, 200_Gbps, address};
    bench.run(50us);
    EXPECT_EQ(bench.drive->counters().prp_lists, (1 + bench.done) * lists) << address << " " << size.count();
    EXPECT_GE(bench.done, 1);
  }
}

TEST(NvmeDrive, InterruptsWaitForMoreCompletionsButNotForEver) {
  auto config = simple();
  config.interrupt_threshold = 4;
  config.interrupt_time = 100us;
  NvmeBench alone{config, Opcode::read, 512_B};
  alone.run(200us);
  ASSERT_GE(alone.done, 1);
  EXPECT_GT(alone.first, 121us);
  EXPECT_LT(alone.first, 123us);
  config.queue_depth = 8;
  NvmeBench many{config, Opcode::read, 512_B};
  many.run(10ms);
  EXPECT_EQ(many.drive->counters().interrupts, many.drive->counters().reads / 4);
}

/// A buffer of one command: the medium, which would have eight in 60 us, begins each when the one before it has
/// arrived.
TEST(NvmeDrive, TheMediumWaitsForRoomInTheBuffer) {
  auto config = simple();
  config.queue_depth = 8;
  config.read_rate = 80_Gbps;
  config.buffer = 4_KiB;
  NvmeBench bench{config, Opcode::read, 4_KiB};
  bench.run(1ms);
  EXPECT_LE(bench.drive->counters().reads, 1ms / 20us);
  EXPECT_GE(bench.drive->counters().reads, 1ms / 22us);
  EXPECT_EQ(bench.drive->counters().failed, 0);
}

/// They are offered 20.48 ns apart: the second to fourth are there for that much less, each.
TEST(NvmeSubmitter, CountsCommandsInFlightOverTime) {
  auto config = simple();
  config.queue_depth = 4;
  NvmeBench bench{config, Opcode::read, 512_B};
  bench.run(1ms);
  EXPECT_EQ(bench.submitter->depth_until(Instant{1ms}), WideInt{4} * Duration{1ms}.count() - 6 * 20'480'000);
}

/// Keeps what a device asks for.
struct NvmeOutbox final : device::Outbox {
  void submit(fabric::ChannelIndex, const fabric::Transaction& transaction) override { sent.push_back(transaction); }
  void respond(fabric::RequestId, Instant, pcie::Status) override {}
  void wake_at(device::TimerId, Instant) override {}
  void transmit(int, const device::Frame&, Instant) override {}
  std::vector<fabric::Transaction> sent;
};

/// What the drive asked for last, answered.
fabric::Delivery answer(const NvmeOutbox& out, pcie::Status status) {
  const auto& asked = out.sent.back();
  return {.kind = fabric::DeliveryKind::completed,
          .op = asked.op,
          .purpose = asked.purpose,
          .status = status,
          .requester = fabric::NodeId{1},
          .cookie = asked.cookie,
          .bytes = asked.bytes,
          .done = Instant{1us}};
}

fabric::Delivery rung(std::uint32_t tail) {
  return {.kind = fabric::DeliveryKind::arrived,
          .purpose = pcie::Purpose::doorbell,
          .cookie = Cookie{0, Work::submission_doorbell, tail}.pack()};
}

TEST(NvmeDrive, FailsACommandWhoseDataDoNotCome) {
  QueuePair pair{16, 1};
  Drive drive{simple(), fabric::NodeId{1}, fabric::NodeId{0}, {&pair}};
  pair.submissions[0] = {0, Opcode::write, data_at, 512_B};
  NvmeOutbox out;
  drive.on_delivery(rung(1), out);
  drive.on_delivery(answer(out, pcie::Status::success), out);
  drive.on_delivery(answer(out, pcie::Status::completer_abort), out);
  EXPECT_EQ(drive.counters().failed, 1);
  EXPECT_EQ(drive.counters().written, 0_B);
  EXPECT_TRUE(pair.completions[0].failed);
}

TEST(NvmeDrive, StopsWhenItCannotFetch) {
  QueuePair pair{16, 1};
  Drive drive{simple(), fabric::NodeId{1}, fabric::NodeId{0}, {&pair}};
  NvmeOutbox out;
  drive.on_delivery(rung(1), out);
  drive.on_delivery(answer(out, pcie::Status::unsupported_request), out);
  EXPECT_TRUE(drive.fatal());
  drive.on_delivery(rung(2), out);
  EXPECT_EQ(out.sent.size(), 1U);
}

}  // namespace
}  // namespace peerpath::nvme
