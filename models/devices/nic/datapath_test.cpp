#include "devices/nic/datapath.hpp"

#include <gtest/gtest.h>

#include "devices/nic/test_outbox.hpp"

namespace peerpath::nic {
namespace {

using namespace std::chrono_literals;
using namespace literals;
using pcie::Purpose;

constexpr fabric::NodeId host{1}, gpu{2};
constexpr QueueIndex q0{0};

device::NicConfig small_nic() {
  device::NicConfig config;
  config.queues = 1;
  config.ring_entries = 16;
  config.prefetch = 8;
  config.writeback_batch = 2;
  config.rx_fifo = 16_KiB;
  return config;
}

device::Frame frame_of(Bytes payload, net::Layer4 layer4 = net::Layer4::tcp) {
  net::FrameSpec spec;
  spec.key = net::generated_flow(0);
  spec.key.layer4 = layer4;
  spec.payload = payload;
  const auto header = net::build(spec);
  device::Frame frame;
  frame.header_size = header.size;
  std::ranges::copy(header.bytes(), frame.header);
  frame.size = Bytes{header.size} + payload;
  return frame;
}

/// A datapath whose rings are in host memory, headers too, and whose payload buffers are in the GPU.
class DatapathTest : public testing::Test {
 protected:
  explicit DatapathTest(const device::NicConfig& config = small_nic())
      : config_{config}, memory{config.queues, static_cast<std::uint32_t>(config.ring_entries)} {
    memory.place({host, BusAddress{0x10000}}, {host, BusAddress{0xfee00000}});
    for (std::uint32_t i = 0; i < 16; ++i)
      rings().buffers.at(i) = {
          BufferId{i}, {host, BusAddress{0x80000 + i * 256}}, {gpu, BusAddress{0x100000 + i * 4096}}};
    nic.emplace(config, memory);
  }

  QueueRings& rings() { return memory.queue(q0); }
  /// Rings the doorbell and lets the fetches of descriptors succeed.
  void post(std::uint32_t producer, Instant now) {
    nic->doorbell(q0, Doorbell::rx_buffers, producer, now, out);
    finish_reads(now);
  }
  void finish_reads(Instant now, pcie::Status status = pcie::Status::success) {
    for (bool more = true; more;) {
      more = false;
      for (const auto& t : out.take()) {
        if (t.op != pcie::Operation::memory_read)
          kept.push_back(t);
        else
          nic->read_completed(delivery_of(t, now, status), out);
      }
      for (const auto& t : out.transactions) more = more || t.op == pcie::Operation::memory_read;
    }
    for (const auto& t : out.take()) kept.push_back(t);
  }
  /// The transactions that the datapath has submitted; completions leave it as soon as they are ready.
  std::vector<fabric::Transaction> take() {
    while (!out.transactions.empty())
      for (const auto& t : out.take()) {
        kept.push_back(t);
        if (t.notify_sent) nic->completions_sent(delivery_of(t, t.ready), out);
      }
    return std::exchange(kept, {});
  }
  static std::vector<Purpose> purposes(const std::vector<fabric::Transaction>& all) {
    std::vector<Purpose> list;
    for (const auto& t : all) list.push_back(t.purpose);
    return list;
  }

  device::NicConfig config_;
  QueueMemory memory;
  std::optional<Datapath> nic;
  TestOutbox out;
  std::vector<fabric::Transaction> kept;
};

TEST_F(DatapathTest, a_frame_is_split_into_header_payload_completion_and_interrupt) {
  post(16, at_ns(0));
  nic->on_frame(frame_of(4096_B), at_ns(1000), out);
  nic->on_frame(frame_of(100_B), at_ns(1100), out);
  const auto all = take();
  EXPECT_EQ(purposes(all), (std::vector{Purpose::header, Purpose::payload, Purpose::header, Purpose::payload,
                                        Purpose::completion_entry, Purpose::interrupt}));
  EXPECT_EQ(all[0].target, host);
  EXPECT_EQ(all[0].bytes, 66_B);
  EXPECT_EQ(all[0].address, 0x80000u);
  EXPECT_EQ(all[0].ready, at_ns(1300));
  EXPECT_EQ(all[1].target, gpu);
  EXPECT_EQ(all[1].bytes, 4096_B);
  EXPECT_EQ(all[3].address, 0x101000u);
  EXPECT_EQ(all[4].bytes, 64_B);
  EXPECT_TRUE(all[5].notify_target);
  const auto& done = rings().rx_completions.at(1);
  EXPECT_EQ(done.buffer, BufferId{1});
  EXPECT_EQ(done.payload_length, 100u);
  EXPECT_EQ(done.header_length, 66);
  EXPECT_TRUE(done.split && done.end_of_packet && done.generation && !done.error);
}

TEST_F(DatapathTest, descriptors_are_fetched_ahead_in_pieces) {
  nic->doorbell(q0, Doorbell::rx_buffers, 16, at_ns(0), out);
  const auto first = out.take();
  ASSERT_EQ(first.size(), 2u);  // 8 at hand or asked for is not above the prefetch of 8
  EXPECT_EQ(first[0].purpose, Purpose::descriptor);
  EXPECT_EQ(first[0].bytes, 8 * 32_B);
  EXPECT_EQ(first[1].address, first[0].address + 256);
  // The second one ends first: nothing is usable before the first has.
  nic->read_completed(delivery_of(first[1], at_ns(10)), out);
  nic->on_frame(frame_of(64_B), at_ns(20), out);
  EXPECT_TRUE(out.take().empty());
  nic->read_completed(delivery_of(first[0], at_ns(30)), out);
  EXPECT_EQ(out.take().size(), 2u);
}

TEST_F(DatapathTest, an_interrupt_waits_for_its_completion_and_not_for_later_frames) {
  post(16, at_ns(0));
  for (int i = 0; i < 2; ++i) nic->on_frame(frame_of(64_B), at_ns(1000), out);
  const auto first = out.take();
  ASSERT_EQ(first.back().purpose, Purpose::completion_entry) << "no interrupt before its completion has left";
  nic->on_frame(frame_of(64_B), at_ns(1100), out);
  out.take();
  nic->completions_sent(delivery_of(first.back(), at_ns(5000)), out);
  ASSERT_EQ(out.transactions.size(), 1u);
  EXPECT_EQ(out.transactions[0].purpose, Purpose::interrupt);
  EXPECT_EQ(out.transactions[0].ready, at_ns(5000));
  EXPECT_EQ(out.channels[0], interrupt_channel) << "by a channel on which no frame waits";
}

TEST_F(DatapathTest, a_partial_batch_is_written_at_the_timeout) {
  post(16, at_ns(0));
  nic->on_frame(frame_of(64_B), at_ns(100), out);
  take();
  const auto timer = timer_of(q0, Timer::rx_writeback);
  ASSERT_EQ(out.timers.at(timer), at_ns(1100));
  nic->on_timer(timer, at_ns(1100), out);
  EXPECT_EQ(purposes(take()), (std::vector{Purpose::completion_entry, Purpose::interrupt}));
}

class Compressed : public DatapathTest {
 protected:
  static device::NicConfig four_at_a_time() {
    auto config = small_nic();
    config.writeback_batch = 4;
    config.mini_completion = 8_B;
    return config;
  }
  Compressed() : DatapathTest{four_at_a_time()} {}
};

TEST_F(Compressed, the_first_completion_of_a_write_is_whole_and_the_others_are_short) {
  post(16, at_ns(0));
  for (int n = 0; n < 5; ++n) nic->on_frame(frame_of(64_B), at_ns(100 + n), out);
  nic->on_timer(timer_of(q0, Timer::rx_writeback), at_ns(1200), out);
  std::vector<Bytes> sizes;
  for (const auto& t : take())
    if (t.purpose == Purpose::completion_entry) sizes.push_back(t.bytes);
  EXPECT_EQ(sizes, (std::vector{32_B + 3 * 8_B, 32_B}));
}

TEST_F(DatapathTest, a_jumbo_frame_takes_three_buffers_and_three_completions) {
  post(16, at_ns(0));
  nic->on_frame(frame_of(8900_B), at_ns(100), out);
  Bytes payload{};
  for (const auto& t : take())
    if (t.purpose == Purpose::payload) payload += t.bytes;
  EXPECT_EQ(payload, 8900_B);
  EXPECT_FALSE(rings().rx_completions.at(0).end_of_packet);
  EXPECT_TRUE(rings().rx_completions.at(2).end_of_packet);
  EXPECT_EQ(rings().rx_completions.at(2).payload_length, 8900u - 8192u);
  EXPECT_EQ(rings().rx_completions.at(1).header_length, 0);
}

class Paced : public DatapathTest {
 protected:
  static device::NicConfig ten_a_microsecond() {
    auto config = small_nic();
    config.packet_rate = 10'000'000;
    return config;
  }
  Paced() : DatapathTest{ten_a_microsecond()} {}
};

TEST_F(Paced, frames_that_come_faster_than_the_packet_rate_wait_in_the_fifo) {
  post(16, at_ns(0));
  for (int i = 0; i < 3; ++i) nic->on_frame(frame_of(64_B), at_ns(1000 + 10 * i), out);
  std::vector<Instant> starts;
  for (const auto& t : take())
    if (t.purpose == Purpose::payload) starts.push_back(t.ready);
  EXPECT_EQ(starts, (std::vector{at_ns(1300), at_ns(1400), at_ns(1500)}));
  EXPECT_EQ(nic->receiving().busy(at_ns(1150)), 150ns);
  EXPECT_EQ(nic->fifo_held(at_ns(1150)), 3 * 130_B);
}

TEST(PacketPipeline, is_not_at_work_between_packets) {
  PacketPipeline pipeline{10'000'000};
  pipeline.take(at_ns(0));
  pipeline.take(at_ns(1000));  // told ahead of time, as that of a frame behind a long one is
  EXPECT_EQ(pipeline.busy(at_ns(50)), 50ns);
  EXPECT_EQ(pipeline.busy(at_ns(500)), 100ns);
  EXPECT_EQ(pipeline.busy(at_ns(1030)), 130ns);
}

class SmallBuffers : public DatapathTest {
 protected:
  SmallBuffers() : DatapathTest{config()} {}
  static device::NicConfig config() {
    auto config = small_nic();
    config.prefetch = 2;
    config.buffer_size = 1_KiB;
    return config;
  }
  Bytes payload_written() {
    Bytes payload{};
    for (const auto& t : take())
      if (t.purpose == Purpose::payload) payload += t.bytes;
    return payload;
  }
};

TEST_F(SmallBuffers, a_frame_has_the_descriptors_read_that_it_takes) {
  post(16, at_ns(0));
  nic->on_frame(frame_of(8_KiB), at_ns(100), out);
  finish_reads(at_ns(200));
  EXPECT_EQ(payload_written(), 8_KiB);
  EXPECT_TRUE(rings().rx_completions.at(7).end_of_packet);
}

TEST_F(SmallBuffers, a_frame_that_waits_has_them_read_when_they_are_posted) {
  post(5, at_ns(0));
  nic->on_frame(frame_of(8_KiB), at_ns(100), out);
  finish_reads(at_ns(200));
  EXPECT_EQ(payload_written(), 0_B);
  post(8, at_ns(300));
  EXPECT_EQ(payload_written(), 8_KiB);
}

TEST_F(SmallBuffers, a_frame_that_takes_more_than_half_a_ring_is_dropped) {
  post(16, at_ns(0));
  nic->on_frame(frame_of(8_KiB + 1_B), at_ns(100), out);
  EXPECT_EQ(nic->counters().dropped(Drop::too_long), 1);
  auto arp = frame_of(8_KiB);  // goes unsplit, headers and all
  arp.header[12] = 0x08;
  arp.header[13] = 0x06;
  nic->on_frame(arp, at_ns(100), out);
  EXPECT_EQ(nic->counters().dropped(Drop::too_long), 2);
}

TEST_F(DatapathTest, frames_without_buffers_wait_until_the_fifo_is_full) {
  for (int i = 0; i < 5; ++i) nic->on_frame(frame_of(4096_B), at_ns(100 + i), out);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(nic->counters().dropped(Drop::no_buffer), 2);  // 3 x 4162 B fit 16 KiB
  EXPECT_EQ(nic->counters().rx_dropped_payload, 2 * 4096_B);
  post(16, at_ns(500));
  EXPECT_EQ(nic->counters().rx_frames, 3);
  int payloads = 0;
  for (const auto& t : take()) {
    if (t.purpose == Purpose::payload) ++payloads;
    EXPECT_GE(t.ready, at_ns(400));
  }
  EXPECT_EQ(payloads, 3);
}

TEST_F(DatapathTest, the_fifo_is_free_when_the_last_write_has_left) {
  post(16, at_ns(0));
  for (int i = 0; i < 4; ++i) nic->on_frame(frame_of(4096_B), at_ns(100), out);
  EXPECT_EQ(nic->counters().dropped(Drop::fifo_full), 1);
  int told = 0;
  for (const auto& t : take()) {
    nic->write_computed(delivery_of(t, at_ns(2000)));
    if (!t.tell_sent || t.notify_sent) continue;
    EXPECT_EQ(t.purpose, Purpose::payload);
    nic->frame_sent_computed(delivery_of(t, at_ns(900)));
    ++told;
  }
  EXPECT_EQ(told, 3);
  EXPECT_EQ(nic->fifo_held(at_ns(900)), 3 * 4162_B);
  EXPECT_EQ(nic->fifo_held(at_ns(901)), 0_B);
}

TEST_F(DatapathTest, what_cannot_be_split_goes_whole_to_the_payload_buffer) {
  post(16, at_ns(0));
  auto arp = frame_of(100_B);
  arp.header[12] = 0x08;
  arp.header[13] = 0x06;
  nic->on_frame(arp, at_ns(100), out);
  const auto all = take();
  ASSERT_EQ(all.size(), 1u) << "an unsplit frame is one write";
  EXPECT_EQ(all[0].purpose, Purpose::payload);
  EXPECT_EQ(all[0].target, gpu);
  EXPECT_EQ(all[0].bytes, arp.size);
  EXPECT_FALSE(rings().rx_completions.at(0).split);
  EXPECT_EQ(nic->counters().rx_not_split, 1);
}

TEST_F(DatapathTest, malformed_and_too_long_frames_are_counted_and_dropped) {
  post(16, at_ns(0));
  auto cut = frame_of(100_B);
  cut.header_size = 30;
  nic->on_frame(cut, at_ns(100), out);
  nic->on_frame(frame_of(9100_B), at_ns(100), out);
  EXPECT_EQ(nic->counters().dropped(Drop::malformed), 1);
  EXPECT_EQ(nic->counters().dropped(Drop::too_long), 1);
  EXPECT_TRUE(take().empty());
  auto sum = frame_of(100_B);
  sum.header[24] ^= 1;  // IPv4 checksum: received with the error flag
  nic->on_frame(sum, at_ns(200), out);
  EXPECT_TRUE(rings().rx_completions.at(0).error);
}

TEST_F(DatapathTest, doorbells_that_make_no_sense_change_nothing) {
  nic->doorbell(q0, Doorbell::rx_buffers, 17, at_ns(0), out);
  nic->doorbell(QueueIndex{77}, Doorbell::rx_buffers, 1, at_ns(0), out);
  nic->doorbell(q0, Doorbell::rx_buffers, 4, at_ns(0), out);
  nic->doorbell(q0, Doorbell::rx_buffers, 3, at_ns(0), out);  // backwards
  EXPECT_EQ(nic->counters().bad_doorbells, 3);
  EXPECT_EQ(out.take().size(), 1u);
}

TEST_F(DatapathTest, a_stopped_queue_does_no_dma_and_ignores_what_was_under_way) {
  nic->doorbell(q0, Doorbell::rx_buffers, 16, at_ns(0), out);
  const auto reads = out.take();
  nic->on_frame(frame_of(64_B), at_ns(10), out);
  nic->stop_rx(q0, at_ns(20));
  EXPECT_EQ(nic->counters().dropped(Drop::queue_stopped), 1);
  for (const auto& t : reads) nic->read_completed(delivery_of(t, at_ns(30)), out);
  nic->on_frame(frame_of(64_B), at_ns(40), out);
  nic->doorbell(q0, Doorbell::rx_buffers, 16, at_ns(50), out);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(nic->counters().dropped(Drop::queue_stopped), 2);
  nic->start_rx(q0);
  post(16, at_ns(60));
  nic->on_frame(frame_of(64_B), at_ns(70), out);
  EXPECT_EQ(take().size(), 2u);
  EXPECT_EQ(nic->fifo_held(at_ns(65)), 130_B);  // the last one alone
}

TEST_F(DatapathTest, a_queue_can_start_again_with_rings_of_other_sizes) {
  post(16, at_ns(0));
  nic->stop_rx(q0, at_ns(10));
  memory.resize(q0, {4, 8, 16, 16});
  for (std::uint32_t i = 0; i < 4; ++i)
    rings().buffers.at(i) = {BufferId{i}, {host, BusAddress{0x80000}}, {gpu, BusAddress{0x100000}}};
  nic->start_rx(q0);
  nic->doorbell(q0, Doorbell::rx_buffers, 5, at_ns(20), out);
  EXPECT_EQ(nic->counters().bad_doorbells, 1);
  post(4, at_ns(20));
  for (int i = 0; i < 4; ++i) nic->on_frame(frame_of(64_B), at_ns(30), out);
  post(8, at_ns(40));
  for (int i = 0; i < 2; ++i) nic->on_frame(frame_of(64_B), at_ns(50), out);
  std::vector<std::uint64_t> completions;
  for (const auto& t : take())
    if (t.purpose == Purpose::completion_entry) completions.push_back(t.address);
  const auto ring = rings().places.rx_completions.address.value();
  EXPECT_EQ(completions, (std::vector{ring, ring + 64, ring + 128}));
  EXPECT_TRUE(rings().rx_completions.at(5).generation);
}

TEST_F(DatapathTest, a_link_that_is_down_receives_nothing) {
  post(16, at_ns(0));
  nic->set_link(false);
  nic->on_frame(frame_of(64_B), at_ns(10), out);
  EXPECT_EQ(nic->counters().dropped(Drop::link_down), 1);
  nic->set_link(true);
  nic->on_frame(frame_of(64_B), at_ns(20), out);
  EXPECT_EQ(nic->counters().rx_frames, 1);
}

class TransmitTest : public DatapathTest {
 protected:
  TransmitTest() {
    TxDescriptor d;
    const auto header = net::build({.key = net::generated_flow(0), .payload = 4096_B});
    d.header = {host, BusAddress{0x80000}};
    d.header_length = header.size;
    d.payload = {gpu, BusAddress{0x100000}};
    d.payload_length = 4096;
    for (std::uint32_t i = 0; i < 16; ++i) {
      d.tag = static_cast<std::uint16_t>(100 + i);
      rings().tx.at(i) = d;
      rings().tx_headers.at(i) = header;
    }
  }
};

TEST_F(TransmitTest, a_packet_is_fetched_and_sent_and_completed) {
  nic->doorbell(q0, Doorbell::tx_packets, 2, at_ns(0), out);
  auto reads = out.take();
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0].bytes, 2 * 64_B);
  nic->read_completed(delivery_of(reads[0], at_ns(100)), out);
  reads = out.take();
  ASSERT_EQ(reads.size(), 4u);
  EXPECT_EQ(reads[1].purpose, Purpose::payload);
  EXPECT_EQ(reads[1].target, gpu);
  // The second packet's data comes first: it waits for its turn.
  nic->read_completed(delivery_of(reads[2], at_ns(200)), out);
  nic->read_completed(delivery_of(reads[3], at_ns(210)), out);
  EXPECT_TRUE(out.frames.empty());
  nic->read_completed(delivery_of(reads[0], at_ns(220)), out);
  nic->read_completed(delivery_of(reads[1], at_ns(230)), out);
  ASSERT_EQ(out.frames.size(), 2u);
  EXPECT_EQ(out.frames[0].when, at_ns(530));
  EXPECT_EQ(out.frames[1].when, at_ns(530) + 4186_B / 200_Gbps);
  EXPECT_EQ(nic->wire_busy(at_ns(530)), 0ns) << "what waits for the wire does not keep it busy";
  EXPECT_EQ(nic->wire_busy(at_ns(630)), 100ns);
  EXPECT_EQ(nic->wire_busy(at_ns(1000)), 2 * (4186_B / 200_Gbps));
  EXPECT_EQ(purposes(take()), (std::vector{Purpose::completion_entry, Purpose::interrupt}));
  EXPECT_EQ(rings().tx_completions.at(1).tag, 101);
  EXPECT_EQ(rings().tx_completions.at(1).head, 2u);
}

TEST_F(TransmitTest, descriptors_that_make_no_sense_are_completed_unsent) {
  rings().tx.at(0).header_length = 0;
  rings().tx.at(1).payload_length = 100'000;
  rings().tx.at(2).mss = 5;
  nic->doorbell(q0, Doorbell::tx_packets, 4, at_ns(0), out);
  finish_reads(at_ns(100));
  EXPECT_EQ(nic->counters().bad_descriptors, 3);
  EXPECT_EQ(out.frames.size(), 1u);
  EXPECT_EQ(rings().tx_completions.at(3).head, 4u);
}

TEST_F(TransmitTest, a_failed_read_loses_its_packet_and_no_other) {
  nic->doorbell(q0, Doorbell::tx_packets, 2, at_ns(0), out);
  nic->read_completed(delivery_of(out.take()[0], at_ns(10)), out);
  const auto reads = out.take();
  for (std::size_t i = 0; i < 4; ++i)
    nic->read_completed(
        delivery_of(reads[i], at_ns(20), i == 1 ? pcie::Status::completer_abort : pcie::Status::success), out);
  EXPECT_EQ(nic->counters().dma_errors, 1);
  EXPECT_EQ(nic->counters().tx_packets, 1);
  EXPECT_EQ(rings().tx_completions.at(1).head, 2u);
}

TEST_F(TransmitTest, the_transmit_buffer_bounds_what_is_read_ahead) {
  for (std::uint32_t i = 0; i < 16; ++i) {
    rings().tx.at(i).payload_length = 60'000;
    rings().tx.at(i).mss = 4096;
  }
  nic->doorbell(q0, Doorbell::tx_packets, 16, at_ns(0), out);
  const auto descriptors = out.take();
  for (const auto& t : descriptors) nic->read_completed(delivery_of(t, at_ns(10)), out);
  const auto reads = out.take();
  EXPECT_EQ(reads.size(), 8u);  // 4 x 60066 B fit 256 KiB
  for (const auto& t : reads) nic->read_completed(delivery_of(t, at_ns(20)), out);
  EXPECT_EQ(out.frames.size(), 4u * 15);
  const Instant room = out.timers.at(tx_space_timer);
  EXPECT_GT(room, at_ns(2000));
  take();
  nic->on_timer(tx_space_timer, room, out);
  EXPECT_EQ(out.take().size(), 2u);
}

}  // namespace
}  // namespace peerpath::nic
