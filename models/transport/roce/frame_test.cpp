#include "transport/roce/frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "peerpath/base/random.hpp"

namespace peerpath::roce {
namespace {

std::vector<std::uint8_t> bytes(std::size_t count) {
  std::vector<std::uint8_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(i * 7 + 3);
  return out;
}

TEST(Frame, IsReadAsItWasWritten) {
  for (int operation = 0; operation <= static_cast<int>(Operation::fetch_add); ++operation) {
    Packet p;
    p.opcode = static_cast<std::uint8_t>(operation);
    const auto o = p.operation();
    p.destination_qp = 0xabcdef;
    p.psn = 0x123456;
    p.ack_request = true;
    if (is_send(o) || is_write(o) || is_read_response(o)) p.length = 37;
    if (has_reth(o)) p.dma_length = 4096;
    if (has_reth(o) || is_atomic(o)) p.address = 0x1122334455667788, p.key = 0x99aabbcc;
    if (has_immediate(o)) p.immediate = 0xdeadbeef;
    if (has_aeth(o)) p.syndrome = syndrome::ack, p.msn = 0x010203;
    if (is_atomic(o)) p.swap_or_add = 5, p.compare = 6;
    if (o == Operation::atomic_acknowledge) p.swap_or_add = 7;
    const auto payload = bytes(p.length);
    const auto frame = encode(p, {.source_ip = 0x0a000001, .destination_ip = 0x0a000002}, payload);
    EXPECT_EQ(frame.size(), frame_size(p));
    const auto read = decode(frame);
    ASSERT_EQ(read.error, DecodeError::none) << operation;
    EXPECT_EQ(0, std::memcmp(&read.packet, &p, sizeof p)) << operation;
    EXPECT_TRUE(std::ranges::equal(read.payload, payload));
    EXPECT_EQ(read.addresses.destination_ip, 0x0a000002u);
  }
}

TEST(Frame, ABitThatFlipsIsNoticedUnlessARouterMayChangeIt) {
  Packet p;
  p.opcode = opcode(Service::reliable_connection, Operation::send_only);
  p.length = 64;
  const auto frame = encode(p, {}, bytes(64));
  for (std::size_t i = 14; i < frame.size(); ++i) {
    auto changed = frame;
    changed[i] ^= 0x01;
    const auto error = decode(changed).error;
    const bool mutable_field = i == 15 || i == 22 || i == 24 || i == 25 || i == 40 || i == 41 || i == 46;
    EXPECT_EQ(error == DecodeError::none, mutable_field) << "byte " << i;
  }
}

TEST(Frame, WhateverComesInIsReadOnlyWhereItIs) {
  Random random{5, "frames"};
  Packet p;
  p.opcode = opcode(Service::reliable_connection, Operation::write_only);
  p.length = 20;
  const auto good = encode(p, {}, bytes(20));
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> frame(good.begin(),
                                    good.begin() + static_cast<std::ptrdiff_t>(random.below(good.size() + 1)));
    for (int change = 0; change < 4 && !frame.empty(); ++change)
      frame[random.below(frame.size())] = static_cast<std::uint8_t>(random.next());
    const auto read = decode(frame);
    EXPECT_TRUE(read.error != DecodeError::none || read.packet.length <= frame.size());
  }
}

}  // namespace
}  // namespace peerpath::roce
