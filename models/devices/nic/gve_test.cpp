// Plays what the Linux driver does with the registers and the admin queue.
#include <gtest/gtest.h>

#include "devices/nic/gve_descriptors.hpp"
#include "devices/nic/test_guest.hpp"

namespace peerpath::nic::gve {
namespace {

constexpr std::uint64_t queue_at = 0x1000, answer_at = 0x4000, data_at = 0x8000;

class GveTest : public testing::Test {
 protected:
  /// What a driver does first.
  void probe() {
    registers.write(0x28, 2, 4096);
    registers.write(0x20, 4, 0);
    registers.write(0x24, 4, queue_at);
    registers.write(0x04, 4, 1);
  }

  /// Puts a command into the next slot; fields are {offset, size, value}.
  struct FieldValue {
    std::size_t at, size;
    std::uint64_t value;
  };
  void put(std::uint32_t opcode, std::initializer_list<FieldValue> fields) {
    const std::uint64_t slot = queue_at + (count_++ % 64) * 64;
    for (std::uint64_t i = 0; i < 64; ++i) memory.bytes[slot + i] = 0;
    memory.set(slot, 4, opcode);
    for (const auto& f : fields) memory.set(slot + f.at, f.size, f.value);
  }
  std::uint32_t status_of(std::uint32_t number) {
    return static_cast<std::uint32_t>(memory.be(queue_at + number % 64 * 64 + 4, 4));
  }
  void ring() {
    registers.write(0x14, 4, count_);
    accesses.run(registers);
  }
  std::uint32_t run(std::uint32_t opcode, std::initializer_list<FieldValue> fields) {
    put(opcode, fields);
    ring();
    EXPECT_EQ(registers.read(0x18, 4), count_);
    return status_of(count_ - 1);
  }
  std::uint32_t create_rx(std::uint64_t id, std::uint64_t entries = 1024, std::uint64_t header = 128) {
    return run(0x6, {{8, 4, id},
                     {20, 4, 4 + id},
                     {24, 8, answer_at},
                     {32, 8, 0x10000},
                     {40, 8, 0x20000},
                     {48, 4, 0xffffffff},
                     {52, 2, entries},
                     {54, 2, 4096},
                     {56, 2, entries},
                     {58, 1, 1},
                     {60, 2, header}});
  }
  std::uint32_t create_tx(std::uint64_t id) {
    return run(0x5, {{8, 4, id},
                     {16, 8, answer_at},
                     {24, 8, 0x30000},
                     {32, 4, 0xffffffff},
                     {36, 4, id},
                     {40, 8, 0x40000},
                     {48, 2, 512},
                     {50, 2, 512}});
  }
  std::uint32_t rule(std::uint64_t op, std::uint64_t location, std::uint64_t queue, std::uint16_t port) {
    for (std::uint64_t i = 0; i < 92; ++i) memory.bytes[data_at + i] = 0;
    memory.set(data_at, 2, op);
    memory.set(data_at + 6, 2, queue);
    memory.set(data_at + 8 + 34, 2, port);
    memory.set(data_at + 48 + 34, 2, 0xffff);
    memory.set(data_at + 88, 4, location);
    return run(0xff, {{8, 4, 0x101}, {12, 4, 92}, {16, 8, data_at}});
  }

  static constexpr std::uint32_t passed = 1, exists = 0xfffffff1, invalid = 0xfffffff7, not_found = 0xfffffff8,
                                 unimplemented = 0xfffffffe;
  ArrayMemory memory{0x100000};
  RecordingBackend backend;
  QueuedMemory accesses{memory};
  Registers registers{{}, accesses, backend};
  std::uint32_t count_ = 0;
};

TEST_F(GveTest, the_device_describes_itself_with_all_options) {
  probe();
  EXPECT_EQ(registers.read(0x08, 4), 4u);
  EXPECT_EQ(registers.read(0x00, 4), 4u);  // link up
  ASSERT_EQ(run(0x1, {{8, 8, answer_at}, {16, 4, 1}, {20, 4, 4096}}), passed);
  EXPECT_EQ(memory.be(answer_at + 10, 2), 512u);
  EXPECT_EQ(memory.be(answer_at + 12, 2), 1024u);
  EXPECT_GE(memory.be(answer_at + 16, 2), 68u);
  EXPECT_GT(memory.be(answer_at + 18, 2), 0u);
  const auto options = memory.be(answer_at + 30, 2), total = memory.be(answer_at + 32, 2);
  std::map<std::uint64_t, std::uint64_t> found;  // id -> length
  std::uint64_t at = answer_at + 40;
  for (std::uint64_t i = 0; i < options; ++i) {
    EXPECT_EQ(memory.be(at + 4, 4), 0u);
    found[memory.be(at, 2)] = memory.be(at + 2, 2);
    at += 8 + memory.be(at + 2, 2);
  }
  EXPECT_EQ(at, answer_at + total);
  EXPECT_EQ(found,
            (std::map<std::uint64_t, std::uint64_t>{{0x4, 8}, {0x6, 12}, {0x8, 8}, {0xa, 8}, {0xb, 12}, {0xe, 8}}));
  EXPECT_EQ(run(0x1, {{8, 8, answer_at}, {16, 4, 1}, {20, 4, 50}}), invalid);
}

TEST_F(GveTest, the_probe_sequence_passes) {
  probe();
  EXPECT_EQ(run(0xf, {{8, 8, 296}, {16, 8, data_at}}), passed);
  ASSERT_EQ(run(0x2, {{16, 8, answer_at}, {24, 4, 64}, {28, 4, 9}, {32, 4, 64}, {40, 1, 3}}), passed);
  EXPECT_EQ(memory.be(answer_at + 8 * 64, 4), 8u);
  EXPECT_EQ(run(0x2, {{16, 8, answer_at}, {28, 4, 9}, {32, 4, 64}, {40, 1, 2}}), unimplemented);  // another format
  EXPECT_EQ(run(0x2, {{16, 8, answer_at}, {28, 4, 1000}, {32, 4, 64}, {40, 1, 3}}), invalid);
  ASSERT_EQ(run(0xe, {{8, 8, 2048}, {16, 8, answer_at}}), passed);
  const auto tcp4 = ptype_of(net::Layer3::ipv4, net::Layer4::tcp);
  EXPECT_EQ(memory.bytes[answer_at + 2u * tcp4], 2);
  EXPECT_EQ(memory.bytes[answer_at + 2u * tcp4 + 1], 2);
  EXPECT_EQ(run(0xd, {{8, 8, answer_at}}), passed);
  EXPECT_EQ(memory.be(answer_at, 8), 200'000u);
  EXPECT_EQ(run(0xc, {{8, 8, 4096}, {16, 8, answer_at}}), passed);
  EXPECT_EQ(memory.be(answer_at + 8, 4), 65u);
  EXPECT_EQ(memory.be(answer_at + 16, 8), 10u);
  EXPECT_EQ(run(0x42, {}), unimplemented);
}

TEST_F(GveTest, one_doorbell_covers_a_batch_of_commands) {
  probe();
  for (std::uint64_t id = 0; id < 4; ++id)
    put(0x5, {{8, 4, id},
              {16, 8, answer_at},
              {24, 8, 0x30000},
              {32, 4, 0xffffffff},
              {36, 4, id},
              {40, 8, 0x40000},
              {48, 2, 512},
              {50, 2, 512}});
  ring();
  EXPECT_EQ(registers.read(0x18, 4), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(status_of(i), passed);
  EXPECT_EQ(backend.tx.size(), 4u);
}

TEST_F(GveTest, queues_are_created_once_and_destroyed_once) {
  probe();
  ASSERT_EQ(create_rx(1), passed);
  EXPECT_EQ(memory.be(answer_at, 4), 513u);
  EXPECT_EQ(create_rx(1), exists);
  EXPECT_EQ(backend.rx.at(1).header_buffer_size, 128);
  EXPECT_EQ(backend.rx.at(1).completion_ring, BusAddress{0x10000});
  EXPECT_EQ(create_rx(4), invalid);
  EXPECT_EQ(create_rx(2, 100), invalid);  // not a power of two
  EXPECT_EQ(create_rx(2, 4096), invalid);
  EXPECT_EQ(create_rx(2, 64, 200), invalid);
  EXPECT_EQ(create_rx(2, 64, 0), passed);
  EXPECT_EQ(run(0x8, {{8, 4, 1}}), passed);
  EXPECT_EQ(run(0x8, {{8, 4, 1}}), not_found);
  EXPECT_EQ(run(0x8, {{8, 4, 9}}), invalid);
  EXPECT_EQ(backend.rx.count(1), 0u);
}

TEST_F(GveTest, doorbells_reach_queues_that_exist) {
  probe();
  registers.doorbell(513 * 4, 32);
  EXPECT_TRUE(backend.rx_tails.empty());
  create_rx(1);
  create_tx(2);
  registers.doorbell(513 * 4, 32);
  registers.doorbell(513 * 4, 1024);  // beyond the ring
  registers.doorbell(258 * 4, 7);
  registers.doorbell(3 * 4, 1);
  registers.doorbell(9 * 4, 1);  // no such vector
  registers.doorbell(~0ull, 1);
  EXPECT_EQ(backend.rx_tails, (std::map<int, std::uint32_t>{{1, 32}}));
  EXPECT_EQ(backend.tx_tails, (std::map<int, std::uint32_t>{{2, 7}}));
  EXPECT_EQ(backend.vectors, (std::map<std::uint32_t, std::uint32_t>{{3, 1}}));
}

TEST_F(GveTest, flow_rules_steer_and_can_be_read_back) {
  probe();
  const auto flow = net::generated_flow(3);
  net::ParsedFrame frame;
  frame.key = flow;
  EXPECT_EQ(rule(0, 5, 2, flow.destination_port), passed);
  EXPECT_EQ(backend.steering()(frame).queue, QueueIndex{2});
  EXPECT_EQ(rule(0, 5, 2, 1), exists);
  EXPECT_EQ(rule(0, 64, 2, 1), invalid);
  EXPECT_EQ(rule(0, 6, 4, 1), invalid);
  ASSERT_EQ(run(0x10, {{8, 2, 0}, {16, 8, 4096}, {24, 8, answer_at}}), passed);
  EXPECT_EQ(memory.be(answer_at, 4), 1u);
  EXPECT_EQ(memory.be(answer_at + 8, 4), 1u);
  EXPECT_EQ(memory.be(answer_at + 12, 4), 16u + 88u);
  EXPECT_EQ(memory.be(answer_at + 16, 4), 5u);
  EXPECT_EQ(memory.be(answer_at + 16 + 4 + 2, 2), 2u);  // its queue
  EXPECT_EQ(rule(1, 5, 0, 0), passed);
  EXPECT_EQ(rule(1, 5, 0, 0), not_found);
  EXPECT_FALSE(backend.steering()(frame).by_rule);
}

TEST_F(GveTest, the_hash_key_and_table_are_set_and_read_back) {
  probe();
  for (std::uint64_t i = 0; i < 40; ++i) memory.bytes[data_at + i] = static_cast<std::uint8_t>(i);
  for (std::uint64_t i = 0; i < 128; ++i) memory.set(data_at + 64 + 4 * i, 4, 3);
  const std::initializer_list<FieldValue> body{{8, 2, 0x1ff}, {10, 1, 1},       {12, 2, 40},
                                               {14, 2, 128},  {16, 8, data_at}, {24, 8, data_at + 64}};
  ASSERT_EQ(run(0xa, body), passed);
  ASSERT_EQ(run(0x12, {{8, 8, 4096}, {16, 8, answer_at}}), passed);
  EXPECT_EQ(memory.be(answer_at, 4), 8u + 40 + 4 * 128);
  EXPECT_EQ(memory.bytes[answer_at + 8 + 39], 39);
  EXPECT_EQ(memory.be(answer_at + 48, 4), 3u);
  memory.set(data_at + 64, 4, 4);  // names no queue
  EXPECT_EQ(run(0xa, body), invalid);
}

TEST_F(GveTest, addresses_outside_the_guest_are_refused) {
  probe();
  for (const std::uint64_t bad : {memory.bytes.size() - 4, ~std::size_t{0} - 16}) {
    EXPECT_EQ(run(0x1, {{8, 8, bad}, {16, 4, 1}, {20, 4, 4096}}), invalid);
    EXPECT_EQ(run(0xe, {{8, 8, 2048}, {16, 8, bad}}), invalid);
    EXPECT_EQ(run(0xff, {{8, 4, 0x101}, {12, 4, 92}, {16, 8, bad}}), invalid);
  }
}

TEST_F(GveTest, a_reset_destroys_everything_and_is_announced) {
  probe();
  create_rx(1);
  create_tx(1);
  rule(0, 5, 2, 7);
  registers.write(0x04, 4, 2);
  EXPECT_TRUE(backend.rx.empty() && backend.tx.empty());
  EXPECT_TRUE(backend.steering().rules().empty());
  EXPECT_EQ(registers.read(0x00, 4) & 16, 16u);
  EXPECT_EQ(registers.read(0x18, 4), 0u);
  count_ = 0;
  probe();
  EXPECT_EQ(registers.read(0x00, 4) & 16, 0u);
  EXPECT_EQ(create_rx(1), passed);
}

TEST_F(GveTest, a_command_is_done_when_its_status_is_written) {
  probe();
  put(0xd, {{8, 8, answer_at}});
  registers.write(0x14, 4, count_);
  for (int access = 0; access < 3; ++access) {  // the slot, the answer, the status
    EXPECT_EQ(registers.read(0x18, 4), 0u);
    EXPECT_TRUE(accesses.step(registers));
  }
  EXPECT_EQ(registers.read(0x18, 4), 1u);
  EXPECT_EQ(status_of(0), passed);
  EXPECT_FALSE(accesses.step(registers));
}

TEST_F(GveTest, a_queue_is_destroyed_when_its_dma_has_ended) {
  probe();
  create_tx(1);
  put(0x7, {{8, 4, 1}});
  backend.under_way = true;
  ring();
  EXPECT_TRUE(backend.tx.empty()) << "nothing new begins";
  EXPECT_EQ(registers.read(0x18, 4), count_ - 1);
  backend.under_way = false;
  registers.proceed();
  accesses.run(registers);
  EXPECT_EQ(registers.read(0x18, 4), count_);
  EXPECT_EQ(status_of(count_ - 1), passed);
  backend.under_way = true;
  registers.write(0x04, 4, 2);
  EXPECT_EQ(registers.read(0x00, 4) & 16, 0u) << "nor is a reset over before";
  backend.under_way = false;
  EXPECT_EQ(registers.read(0x00, 4) & 16, 16u);
}

TEST_F(GveTest, a_reset_ends_the_command_under_way) {
  probe();
  put(0x6, {{8, 4, 1}, {20, 4, 5}, {24, 8, answer_at}, {48, 4, 0xffffffff}, {52, 2, 64}, {54, 2, 4096}, {56, 2, 64}});
  registers.write(0x14, 4, count_);
  accesses.step(registers);
  const auto life = registers.life();
  registers.write(0x04, 4, 2);
  EXPECT_NE(registers.life(), life);
  accesses.forget();
  count_ = 0;
  probe();
  EXPECT_TRUE(backend.rx.empty());
  EXPECT_EQ(create_rx(1), passed);
}

TEST_F(GveTest, a_doorbell_far_ahead_or_before_run_does_nothing) {
  registers.write(0x14, 4, 1);
  EXPECT_EQ(registers.read(0x18, 4), 0u);
  probe();
  registers.write(0x14, 4, 0x80000000);
  EXPECT_EQ(registers.read(0x18, 4), 0u);
}

TEST_F(GveTest, a_doorbell_does_not_take_back_a_command_under_way) {
  probe();
  put(0x0, {});
  registers.write(0x14, 4, 1);
  registers.write(0x14, 4, 0);
  for (int i = 0; i < 100; ++i) accesses.step(registers);
  EXPECT_EQ(registers.read(0x18, 4), 1u) << "the NIC must stop at the last command in the queue";
}

TEST(GveDescriptors, buffers_and_completions_survive_encoding) {
  const BufferDescriptor buffer{
      BufferId{0xabcd}, {{}, BusAddress{0x1122334455667788}}, {{}, BusAddress{0x99aabbccddeeff00}}};
  const auto back = decode_buffer(encode_buffer(buffer));
  EXPECT_EQ(back.buffer, buffer.buffer);
  EXPECT_EQ(back.header.address, buffer.header.address);
  EXPECT_EQ(back.payload.address, buffer.payload.address);

  RxCompletion c;
  c.buffer = BufferId{77};
  c.header_length = 66;
  c.payload_length = 4096;
  c.rss_hash = 0xcafef00d;
  c.layer3 = net::Layer3::ipv6;
  c.layer4 = net::Layer4::udp;
  c.split = c.end_of_packet = c.generation = true;
  const auto raw = encode_rx_completion(c);
  EXPECT_EQ(raw[0] & 15, 1);
  EXPECT_EQ(raw[5], 0x10 | 0x40);  // length 4096, generation
  EXPECT_EQ(raw[8] & 3, 3);        // done, end of packet
  const auto decoded = decode_rx_completion(raw);
  EXPECT_EQ(decoded.buffer, c.buffer);
  EXPECT_EQ(decoded.header_length, c.header_length);
  EXPECT_EQ(decoded.payload_length, c.payload_length);
  EXPECT_EQ(decoded.rss_hash, c.rss_hash);
  EXPECT_EQ(decoded.layer3, c.layer3);
  EXPECT_EQ(decoded.layer4, c.layer4);
  EXPECT_TRUE(decoded.split && decoded.end_of_packet && decoded.generation && !decoded.error);
}

TEST(GveDescriptors, transmit_completions_have_type_and_generation) {
  const auto raw = encode_tx_completion(QueueIndex{5}, TxEvent::descriptor, 300, true);
  EXPECT_EQ(load_le(raw, 0, 2), 5u | 4u << 11 | 1u << 15);
  EXPECT_EQ(load_le(raw, 2, 2), 300u);
}

Descriptor16 data_piece(std::uint64_t address, std::uint16_t size, std::uint8_t flags, std::uint16_t tag) {
  Descriptor16 raw{};
  store_le(raw, 0, 8, address);
  raw[8] = static_cast<std::uint8_t>(0xc | flags);
  store_le(raw, 12, 2, tag);
  store_le(raw, 14, 2, size);
  return raw;
}
Descriptor16 general_context() {
  Descriptor16 raw{};
  raw[8] = 4;
  return raw;
}
Descriptor16 tso_context(std::uint16_t mss, std::uint8_t header) {
  Descriptor16 raw{};
  store_le(raw, 4, 2, mss);
  raw[6] = header;
  raw[8] = 5 | 1 << 5;
  return raw;
}
constexpr std::uint8_t end = 1 << 5, checksum = 1 << 6, report = 1 << 7;

TEST(TxAssembler, gathers_contexts_and_pieces_into_a_packet) {
  TxAssembler gather;
  EXPECT_FALSE(gather.add(general_context()));
  EXPECT_FALSE(gather.add(tso_context(1460, 66)));
  EXPECT_FALSE(gather.add(data_piece(0x1000, 66, 0, 9)));
  const auto packet = gather.add(data_piece(0x2000, 16000, end | checksum | report, 9));
  ASSERT_TRUE(packet);
  EXPECT_FALSE(packet->bad);
  EXPECT_EQ(packet->packet.pieces.size(), 2u);
  EXPECT_EQ(packet->packet.size, Bytes{16066});
  EXPECT_EQ(packet->packet.mss, 1460);
  EXPECT_EQ(packet->packet.tag, 9);
  EXPECT_EQ(packet->packet.descriptors, 4u);
  EXPECT_TRUE(packet->packet.checksum_offload && packet->packet.report_event);
  EXPECT_EQ(gather.add(data_piece(0, 100, end, 1))->packet.descriptors, 1u);  // starts anew
}

TEST(TxAssembler, nonsense_spoils_one_packet) {
  TxAssembler gather;
  gather.add(tso_context(5, 66));
  EXPECT_TRUE(gather.add(data_piece(0, 100, end, 1))->bad);
  EXPECT_TRUE(gather.add(data_piece(0, 0, end, 1))->bad);
  Descriptor16 unknown{};
  unknown[8] = 0x1f;
  gather.add(unknown);
  EXPECT_TRUE(gather.add(data_piece(0, 100, end, 1))->bad);
  for (int i = 0; i < 11; ++i) gather.add(data_piece(0, 100, 0, 1));
  EXPECT_TRUE(gather.add(data_piece(0, 100, end, 1))->bad);
  gather.add(tso_context(1460, 200));
  EXPECT_TRUE(gather.add(data_piece(0, 100, end, 1))->bad);  // headers longer than the packet
  EXPECT_FALSE(gather.add(data_piece(0, 100, end, 1))->bad);
}

}  // namespace
}  // namespace peerpath::nic::gve
