// Traffic into a NIC, through a switch, into a GPU: the sources of this folder with those of models/devices.
#include <gtest/gtest.h>

#include <map>

#include "devices/host_cpu/test_platform.hpp"
#include "transport/traffic/pattern_stream.hpp"
#include "transport/traffic/replay_stream.hpp"

namespace peerpath::transport {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using host_cpu::Platform;
using host_cpu::PlatformOptions;

/// Payload by the time at which the application has it, and by stream.
class Meter final : public nic::PacketSink {
 public:
  explicit Meter(Instant begin = {}, Instant end = never) : begin_{begin}, end_{end} {}
  void on_packet(const nic::PacketRecord& packet) override {
    ++packets[stream_of(packet.handle)];
    if (packet.application >= begin_ && packet.application < end_) payload += packet.payload;
    trace = mix(trace + mix(packet.handle ^ static_cast<std::uint64_t>(femtoseconds(packet.application))));
  }
  std::map<std::uint16_t, std::int64_t> packets;
  Bytes payload{};
  std::uint64_t trace = 0;

 private:
  Instant begin_, end_;
};

EthernetSender& feed(EthernetSender& sender, FramePattern pattern) {
  sender.add(std::make_unique<PatternStream>(std::move(pattern), Random{1, "rx"}));
  return sender;
}

TEST(Receive, ZeroCopyCarries4096Of4186BytesAndNothingCrossesTheUpstreamLink) {
  Platform p{{}};
  Meter meter{Instant{100us}, Instant{500us}};
  p.memory->journal().set_sink(&meter);
  EthernetSender sender{200_Gbps};
  p.loop->feed({p.nic_device, 0}, feed(sender, {.rate = 200_Gbps}));
  p.loop->run_until(Instant{600us});
  const double gbps = static_cast<double>(meter.payload.count()) * 8 / 400e3;
  EXPECT_NEAR(gbps, 195.7, 195.7 * 0.005);
  EXPECT_EQ(p.card->counters().dropped(), 0);
  EXPECT_EQ(p.upstream_bytes(pcie::Purpose::payload), 0_B);
}

TEST(Receive, ABouncedStreamIsLimitedByWhatTheCoresCanCopy) {
  PlatformOptions options;
  options.bounce = true;
  options.cpu.cores = 1;           // 80 Gb/s of copying at most
  options.nic.ring_entries = 256;  // so that the buffers run out soon
  Platform p{options};
  Meter meter{Instant{600us}, Instant{1000us}};
  p.memory->journal().set_sink(&meter);
  EthernetSender sender{200_Gbps};
  p.loop->feed({p.nic_device, 0}, feed(sender, {.rate = 200_Gbps}));
  p.loop->run_until(Instant{1000us});
  const double gbps = static_cast<double>(meter.payload.count()) * 8 / 400e3;
  EXPECT_GT(gbps, 30);  // packet work and interrupts take the rest of the core
  EXPECT_LT(gbps, 80);
  EXPECT_GT(p.card->counters().dropped(), 0);
}

TEST(Receive, SeveralSourcesOfSeveralSizesArriveWhateverTheQuantumAndTheEngine) {
  std::vector<std::uint64_t> traces;
  for (const auto& [mode, quantum] :
       {std::pair{fabric::Mode::event, Duration{1us}}, std::pair{fabric::Mode::train, Duration{100ns}},
        std::pair{fabric::Mode::train, Duration{1us}}, std::pair{fabric::Mode::train, Duration{10us}}}) {
    PlatformOptions options;
    options.mode = mode;
    options.quantum = quantum;
    Platform p{options};
    Meter meter;
    p.memory->journal().set_sink(&meter);
    EthernetSender sender{200_Gbps};
    feed(sender, {.stream = 1,
                  .rate = 60_Gbps,
                  .payloads = {1448_B, 64_B, 4096_B},
                  .flows = 7,
                  .arrival = Arrival::poisson,
                  .count = 400});
    feed(sender, {.stream = 2,
                  .rate = 40_Gbps,
                  .payloads = {512_B},
                  .flows = 3,
                  .first_flow = 7,
                  .arrival = Arrival::burst,
                  .burst = 16,
                  .count = 600});
    feed(sender, {.stream = 3,
                  .rate = 20_Gbps,
                  .payloads = {9000_B - 52_B},
                  .flows = 1,
                  .first_flow = 10,
                  .arrival = Arrival::jittered,
                  .count = 50});
    p.loop->feed({p.nic_device, 0}, sender);
    p.loop->run_until(Instant{500us});
    EXPECT_EQ(p.card->counters().dropped(), 0);
    EXPECT_EQ(meter.packets, (std::map<std::uint16_t, std::int64_t>{{1, 400}, {2, 600}, {3, 50}}));
    EXPECT_EQ(p.upstream_bytes(pcie::Purpose::payload), 0_B);
    traces.push_back(meter.trace);
  }
  for (const auto trace : traces) EXPECT_EQ(trace, traces[0]);
}

}  // namespace
}  // namespace peerpath::transport
