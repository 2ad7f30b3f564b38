// The small parts of a NIC: batches, moderation, FIFO, journal, rings.
#include <gtest/gtest.h>

#include "devices/nic/completion_batch.hpp"
#include "devices/nic/cookie.hpp"
#include "devices/nic/moderation.hpp"
#include "devices/nic/queue_memory.hpp"
#include "devices/nic/rx_fifo.hpp"
#include "devices/nic/test_outbox.hpp"

namespace peerpath::nic {
namespace {

using namespace std::chrono_literals;
using namespace literals;

TEST(CompletionBatch, is_full_at_its_size_and_due_at_its_timeout) {
  CompletionBatch batch{16, 3, 1us};
  EXPECT_EQ(batch.deadline(), never);
  batch.add(at_ns(100));
  batch.add(at_ns(900));
  EXPECT_FALSE(batch.full());
  EXPECT_EQ(batch.deadline(), at_ns(1100));
  batch.add(at_ns(950));
  EXPECT_TRUE(batch.full());
}

TEST(CompletionBatch, a_batch_that_wraps_is_two_runs) {
  CompletionBatch batch{8, 6, 1us};
  for (int i = 0; i < 6; ++i) batch.add(at_ns(0));
  EXPECT_EQ(batch.take().count, 6u);
  for (int i = 0; i < 6; ++i) batch.add(at_ns(0));
  const auto first = batch.take(), second = batch.take();
  EXPECT_EQ(first.first, 6u);
  EXPECT_EQ(first.count, 2u);
  EXPECT_EQ(second.first, 8u);
  EXPECT_EQ(second.count, 4u);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.next(), 12u);
}

TEST(InterruptModeration, two_interrupts_are_an_interval_apart) {
  InterruptModeration m{20us, 64};
  m.completed(1);
  EXPECT_EQ(m.due(at_ns(500)), at_ns(500));  // the first one needs not wait
  m.fired(at_ns(500));
  m.completed(2);
  EXPECT_EQ(m.due(at_ns(600)), never);  // not armed
  m.arm(1);
  EXPECT_EQ(m.due(at_ns(700)), at_ns(20500));
}

TEST(InterruptModeration, many_frames_do_not_wait) {
  InterruptModeration m{20us, 4};
  m.completed(1);
  m.fired(at_ns(0));
  m.arm(1);
  m.completed(4);
  EXPECT_EQ(m.due(at_ns(10)), at_ns(20000));
  m.completed(5);
  EXPECT_EQ(m.due(at_ns(10)), at_ns(10));
}

TEST(InterruptModeration, arming_with_everything_read_waits_for_news) {
  InterruptModeration m{1us, 4};
  m.completed(3);
  m.fired(at_ns(0));
  m.arm(3);
  EXPECT_EQ(m.due(at_ns(5000)), never);
  m.arm(7);  // a driver that claims more than there is
  EXPECT_EQ(m.due(at_ns(5000)), never);
}

TEST(RxFifo, space_comes_back_after_its_time_whatever_the_order_of_telling) {
  RxFifo fifo{1000_B};
  EXPECT_TRUE(fifo.accept(600_B, at_ns(0)));
  EXPECT_TRUE(fifo.accept(400_B, at_ns(0)));
  EXPECT_FALSE(fifo.accept(1_B, at_ns(0)));
  fifo.release(400_B, at_ns(200));
  fifo.release(600_B, at_ns(100));
  EXPECT_EQ(fifo.held(at_ns(100)), 1000_B);  // what happens exactly now counts from the next moment
  EXPECT_EQ(fifo.held(at_ns(101)), 400_B);
  EXPECT_EQ(fifo.held(at_ns(201)), 0_B);
  EXPECT_EQ(fifo.peak(), 1000_B);
}

TEST(Cookie, survives_packing) {
  const Cookie c{Dma::tx_data, 9, QueueIndex{1023}, 300, 0xdeadbeef};
  const auto back = Cookie::unpack(c.pack());
  EXPECT_EQ(back.dma, c.dma);
  EXPECT_EQ(back.epoch, c.epoch);
  EXPECT_EQ(back.queue, c.queue);
  EXPECT_EQ(back.count, c.count);
  EXPECT_EQ(back.value, c.value);
}

struct LastPacket final : PacketSink {
  void on_packet(const PacketRecord& p) override {
    ++count;
    packet = p;
  }
  int count = 0;
  PacketRecord packet;
};

TEST(PacketJournal, a_packet_is_told_when_written_and_consumed) {
  PacketJournal journal;
  LastPacket last;
  journal.set_sink(&last);
  PacketRecord record;
  record.payload = 100_B;
  const auto packet = journal.open(record, 2);
  journal.written(packet, at_ns(70));
  journal.written(packet, at_ns(50));
  EXPECT_EQ(last.count, 0);
  journal.consumed(packet, at_ns(90));
  EXPECT_EQ(last.count, 1);
  EXPECT_EQ(last.packet.memory, at_ns(70));
  EXPECT_EQ(last.packet.application, at_ns(90));
  EXPECT_EQ(journal.in_flight(), 0);
  EXPECT_EQ(journal.open(record, 1), packet);  // rows are used again
}

TEST(PacketJournal, data_that_comes_after_its_completion_is_usable_only_then) {
  PacketJournal journal;
  LastPacket last;
  journal.set_sink(&last);
  const auto packet = journal.open({}, 1);
  journal.consumed(packet, at_ns(40));
  journal.written(packet, at_ns(60));
  EXPECT_EQ(last.packet.application, at_ns(60));
  EXPECT_EQ(journal.overtaken(), 1);
}

TEST(CompletionRing, an_entry_is_visible_after_its_write_arrived_and_once_a_wrap) {
  CompletionRing<TxCompletion> ring{4};
  EXPECT_EQ(ring.visible(0, at_ns(1000)), nullptr);
  ring.write(0, {.tag = 7});
  EXPECT_EQ(ring.visible(0, at_ns(1000)), nullptr);
  ring.arrived(0, 1, at_ns(500));
  EXPECT_EQ(ring.visible(0, at_ns(500)), nullptr);
  ASSERT_NE(ring.visible(0, at_ns(501)), nullptr);
  EXPECT_EQ(ring.visible(0, at_ns(501))->tag, 7);
  EXPECT_EQ(ring.visible(4, at_ns(501)), nullptr);  // the same slot a round later: wrong generation
}

TEST(QueueMemory, rings_do_not_overlap) {
  QueueMemory memory{2, 64};
  const MemoryPlace base{fabric::NodeId{3}, BusAddress{0x10000}};
  const auto end = memory.place(base, {fabric::NodeId{3}, BusAddress{0xfee00000}});
  const auto& a = memory.queue(QueueIndex{0}).places;
  const auto& b = memory.queue(QueueIndex{1}).places;
  EXPECT_EQ(a.buffers, base);
  EXPECT_GE((a.rx_completions.address - a.buffers.address), 64 * 32_B);
  EXPECT_GE((b.buffers.address - a.tx_completions.address), 64 * 8_B);
  EXPECT_GT(end.address, b.tx_completions.address);
  EXPECT_NE(a.rx_interrupt.address, a.tx_interrupt.address);
  EXPECT_NE(b.rx_interrupt.address, a.tx_interrupt.address);
}

}  // namespace
}  // namespace peerpath::nic
