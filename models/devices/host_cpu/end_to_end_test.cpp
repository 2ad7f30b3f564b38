#include <gtest/gtest.h>

#include "devices/host_cpu/test_platform.hpp"

namespace peerpath::host_cpu {
namespace {

/// Goodput in Mb/s until the last packet.
std::int64_t goodput_mbps(const Received& received) {
  const WideInt bits = static_cast<WideInt>(received.payload.count()) * 8;
  return static_cast<std::int64_t>(bits * 1'000'000'000 / femtoseconds(received.last));
}

TEST(EndToEnd, line_rate_of_4_kib_payloads_reaches_the_gpu_without_a_drop) {
  Platform p{{}};
  RegularFrames frames{200_Gbps, 4096_B, 16, 5000};
  p.loop->feed({p.nic_device, 0}, frames);
  p.loop->run_until(Instant{1000us});

  EXPECT_EQ(p.card->counters().rx_frames, 5000);
  EXPECT_EQ(p.card->counters().dropped(), 0);
  EXPECT_EQ(p.received.packets, 5000);
  EXPECT_EQ(p.received.payload, 4096_B * 5000);
  EXPECT_TRUE(p.received.ordered);
  EXPECT_EQ(p.memory->journal().in_flight(), 0);
  EXPECT_EQ(p.cpu->counters().rx_payload, p.received.payload);
  EXPECT_EQ(p.card->datapath().fifo_held(p.loop->now()), 0_B);
  EXPECT_EQ(p.card->counters().bad_doorbells, 0);
  // 837.2 us on the wire; the rest is the way of the last packets, which interrupt moderation may hold back.
  EXPECT_GT(goodput_mbps(p.received), 190'000);
  EXPECT_LT(p.received.longest, 40us);
  EXPECT_EQ(p.upstream_bytes(pcie::Purpose::payload), 0_B);
  EXPECT_EQ(p.upstream_bytes(pcie::Purpose::header), 68_B * 5000);  // 66 bytes, as the double words of the link
  EXPECT_EQ(p.cpu->counters().copied, 0_B);
}

TEST(EndToEnd, a_bounced_stream_crosses_the_upstream_link_twice_and_loads_the_cores) {
  PlatformOptions options;
  options.bounce = true;
  Platform p{options};
  RegularFrames frames{100_Gbps, 4096_B, 16, 2000};
  p.loop->feed({p.nic_device, 0}, frames);
  p.loop->run_until(Instant{2000us});

  EXPECT_EQ(p.received.packets, 2000);
  EXPECT_EQ(p.received.payload, 4096_B * 2000);
  EXPECT_TRUE(p.received.ordered);
  EXPECT_EQ(p.upstream_bytes(pcie::Purpose::payload), 4096_B * 4000);
  EXPECT_EQ(p.cpu->counters().copied, p.received.payload);
  EXPECT_EQ(p.cpu->counters().dram_written, p.received.payload);
  EXPECT_GT(p.cpu->busy_until(p.loop->now()), (4096_B * 2000) / options.cpu.copy_rate);
  EXPECT_EQ(p.gpu->counters().bytes, p.received.payload);
}

TEST(EndToEnd, a_slow_link_fills_the_fifo_and_drops) {
  PlatformOptions options;
  options.link = {3, 8};  // 63 Gb/s
  Platform p{options};
  RegularFrames frames{200_Gbps, 4096_B, 16, 3000};
  p.loop->feed({p.nic_device, 0}, frames);
  p.loop->run_until(Instant{3000us});

  const auto& c = p.card->counters();
  EXPECT_GT(c.dropped(nic::Drop::fifo_full), 1500);
  EXPECT_EQ(c.dropped(nic::Drop::fifo_full), c.dropped());
  EXPECT_EQ(c.rx_frames + c.dropped(), 3000);
  EXPECT_EQ(p.received.packets, c.rx_frames);
  EXPECT_EQ(p.received.payload + c.rx_dropped_payload, 4096_B * 3000);
  EXPECT_GT(c.rx_fifo_peak, options.nic.rx_fifo - 5000_B);
  EXPECT_LE(c.rx_fifo_peak, options.nic.rx_fifo);
}

TEST(EndToEnd, slow_cores_starve_the_rings_and_the_drops_say_so) {
  PlatformOptions options;
  options.cpu.cores = 1;
  options.cpu.packet_cost = 2us;
  options.nic.ring_entries = 64;
  Platform p{options};
  RegularFrames frames{200_Gbps, 4096_B, 16, 2000};
  p.loop->feed({p.nic_device, 0}, frames);
  p.loop->run_until(Instant{20'000us});
  const auto& c = p.card->counters();
  EXPECT_GT(c.dropped(nic::Drop::no_buffer), 500);
  EXPECT_EQ(p.received.packets, c.rx_frames);
  EXPECT_EQ(c.rx_frames + c.dropped(), 2000);
}

TEST(EndToEnd, jumbo_frames_take_several_buffers) {
  Platform p{{}};
  RegularFrames frames{200_Gbps, 8900_B, 4, 500};
  p.loop->feed({p.nic_device, 0}, frames);
  p.loop->run_until(Instant{500us});
  EXPECT_EQ(p.received.packets, 500);
  EXPECT_EQ(p.received.payload, 8900_B * 500);
  EXPECT_EQ(p.card->counters().dropped(), 0);
  EXPECT_EQ(p.cpu->counters().rx_packets, 500);
}

TEST(EndToEnd, results_do_not_depend_on_the_quantum_or_the_engine) {
  std::vector<std::uint64_t> seen;
  for (const auto mode : {fabric::Mode::event, fabric::Mode::train}) {
    for (const Duration quantum : {Duration{100ns}, Duration{10us}}) {
      PlatformOptions options;
      options.mode = mode;
      options.quantum = quantum;
      Platform p{options};
      RegularFrames frames{200_Gbps, 1500_B, 16, 1500};
      p.loop->feed({p.nic_device, 0}, frames);
      p.loop->run_until(Instant{300us});
      EXPECT_EQ(p.received.packets, 1500);
      seen.push_back(p.received.checksum);
    }
  }
  for (const auto checksum : seen) EXPECT_EQ(checksum, seen[0]);
}

/// Collects frames at the other end of the wire.
class Collector final : public device::Endpoint {
 public:
  void on_delivery(const fabric::Delivery&, device::Outbox&) override {}
  void on_wake(device::TimerId, Instant, device::Outbox&) override {}
  void on_frame(int, const device::Frame& frame, Instant now, device::Outbox&) override {
    const auto parsed = net::parse({frame.header, frame.header_size}, frame.size);
    EXPECT_EQ(parsed.error, net::ParseError::none);
    ++frames;
    payload += parsed.payload;
    last = now;
  }
  std::int64_t frames = 0;
  Bytes payload{};
  Instant last{};
};

class Sent final : public SentSink {
 public:
  void on_sent(const SentRecord& packet) override {
    payload += packet.payload;
    EXPECT_LT(packet.posted, packet.completed);
  }
  Bytes payload{};
};

/// A platform that sends, by its wire to a peer.
struct Sender : Platform {
  explicit Sender(const PlatformOptions& options) : Platform{options} {
    cpu->set_sent_sink(&sent);
    const auto there = loop->add(peer, {fabric::NodeId{99}, 1, {}});
    loop->connect({nic_device, 0}, {there, 0}, {options.nic.wire_rate, Duration{0}});
  }

  Sent sent;
  Collector peer;
};

/// 64 KiB, cut to 4 KiB by the NIC, every `interval`.
TxSetup segmented(Duration interval, nic::QueueIndex queue = nic::QueueIndex{0}) {
  return {
      .queue = queue, .headers = {}, .payload = {}, .packet = 65536_B, .mss = 4096_B, .interval = interval, .flows = 4};
}

TEST(EndToEnd, segmented_packets_from_gpu_memory_fill_the_wire) {
  PlatformOptions options;
  for (std::uint16_t q = 0; q < 4; ++q) options.tx.push_back(segmented(10us, nic::QueueIndex{q}));
  Sender p{options};
  p.loop->run_until(Instant{400us});

  // Offered is 4 x 65536 B in 10 us, more than the line: 4096 of each 4186 bytes of it are payload.
  const auto mbps = p.peer.payload.count() * 8 * 1'000 / (femtoseconds(p.peer.last) / 1'000'000);
  EXPECT_GT(mbps, 191'000);
  EXPECT_LT(mbps, 195'701);
  EXPECT_EQ(p.card->counters().dma_errors, 0);
  EXPECT_EQ(p.card->counters().bad_descriptors, 0);
  EXPECT_GE(p.peer.frames, p.card->counters().tx_packets * 16 - 500);
  EXPECT_GT(p.sent.payload, p.peer.payload - Bytes{8 << 20});
  EXPECT_EQ(p.upstream_bytes(pcie::Purpose::payload), 0_B);
}

TEST(EndToEnd, a_paced_sender_keeps_its_rate) {
  PlatformOptions options;
  options.tx.push_back({.queue = nic::QueueIndex{0}, .headers = {}, .payload = {}, .packet = 4096_B, .interval = 1us});
  Sender p{options};
  p.loop->run_until(Instant{200us});
  EXPECT_GE(p.peer.frames, 195);
  EXPECT_LE(p.peer.frames, 200);
  EXPECT_EQ(p.peer.payload, 4096_B * p.peer.frames);
}

TEST(EndToEnd, a_bounced_sender_keeps_its_rate_and_every_byte_goes_up_and_comes_down) {
  PlatformOptions options;
  options.bounce = true;
  options.tx.push_back(segmented(10us));
  Sender p{options};
  p.loop->run_until(Instant{1000us});

  // 65536 B in 10 us are 52.4 Gb/s, of 80 that a core copies. The first packet is some 15 us on its way.
  EXPECT_GE(p.peer.frames, 97 * 16);
  EXPECT_LE(p.peer.frames, 100 * 16);
  EXPECT_EQ(p.peer.payload, 4096_B * p.peer.frames);
  EXPECT_GE(p.sent.payload, 65536_B * 97);
  const auto asked = p.gpu->counters().bytes, copied = p.cpu->counters().copied;
  EXPECT_GE(asked, copied);
  EXPECT_LE(asked - p.peer.payload, 3 * 65536_B);
  EXPECT_GE(copied, p.peer.payload);
  EXPECT_EQ(p.cpu->counters().dram_read, copied);
  EXPECT_EQ(p.card->counters().bad_descriptors, 0);
  const auto up = p.loop->fabric().counters(p.upstream, 1), down = p.loop->fabric().counters(p.upstream, 0);
  EXPECT_GE(up.tally(p.gpu_node, pcie::Purpose::payload).payload, asked);
  EXPECT_GE(down.tally(p.nic_node, pcie::Purpose::payload).payload, p.peer.payload);
  EXPECT_EQ(up.tally(p.nic_node, pcie::Purpose::payload).payload, 0_B);
  EXPECT_EQ(down.tally(p.gpu_node, pcie::Purpose::payload).payload, 0_B);
}

TEST(EndToEnd, a_core_that_copies_too_slowly_holds_the_bounced_sender_back) {
  PlatformOptions options;
  options.bounce = true;
  options.cpu.cores = 1;
  options.cpu.copy_rate = 20_Gbps;
  options.tx.push_back(segmented(10us));
  Sender p{options};
  p.loop->run_until(Instant{5000us});
  // A packet takes the core 26.2 us of copying, 1.5 us of an interrupt, 0.28 us each to see that it is there and to
  // post it, 0.07 us to free it, and three doorbells of 0.1 us: 28.65 us, 18.3 Gb/s.
  const auto mbps = p.sent.payload.count() * 8 * 1'000 / 5'000'000;
  EXPECT_GT(mbps, 18'000);
  EXPECT_LT(mbps, 18'600);
  // What the GPU was asked for and is not sent lies in 4 MiB of pinned memory, and in the NIC.
  EXPECT_LE(p.gpu->counters().bytes - p.peer.payload, 4_MiB + 4 * 65536_B);
  EXPECT_GT(p.gpu->counters().bytes - p.peer.payload, 3_MiB);
}

TEST(EndToEnd, bounced_both_ways_all_of_it_arrives) {
  PlatformOptions options;
  options.bounce = true;
  options.tx.push_back(segmented(20us));
  Sender p{options};
  RegularFrames frames{50_Gbps, 4096_B, 16, 1000};
  p.loop->feed({p.nic_device, 0}, frames);
  p.loop->run_until(Instant{1000us});
  EXPECT_EQ(p.received.packets, 1000);
  EXPECT_TRUE(p.received.ordered);
  EXPECT_GE(p.peer.frames, 47 * 16);
  EXPECT_EQ(p.card->counters().dropped(), 0);
}

}  // namespace
}  // namespace peerpath::host_cpu
