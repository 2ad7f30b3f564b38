#include "devices/nic/gve_nic.hpp"

#include <gtest/gtest.h>

#include "devices/nic/test_driver.hpp"

namespace peerpath::nic::gve {
namespace {

using net::Layer3;
using net::Layer4;
using Bytes8 = std::vector<std::uint8_t>;

Bytes8 frame_of(Layer3 layer3, Layer4 layer4, std::size_t payload, std::uint32_t flow = 1) {
  net::FrameSpec spec;
  spec.key = net::generated_flow(flow);
  spec.key.layer3 = layer3;
  spec.key.layer4 = layer4;
  spec.tcp_flags = 0x18;
  spec.tcp_sequence = 0xffff'f000;
  spec.payload = Bytes{static_cast<std::int64_t>(payload)};
  const auto header = net::build(spec);
  Bytes8 frame(header.bytes().begin(), header.bytes().end());
  for (std::size_t i = 0; i < payload; ++i) frame.push_back(static_cast<std::uint8_t>(i * 31 + i / 251));
  return frame;
}

net::ParsedFrame parsed(std::span<const std::uint8_t> frame) {
  return net::parse(frame.first(std::min<std::size_t>(frame.size(), 128)),
                    Bytes{static_cast<std::int64_t>(frame.size())});
}

class EmulatedNic : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver.steer_all(0), 1u); }
  /// Puts a frame into guest memory and returns where.
  std::uint64_t put(const Bytes8& frame) {
    host.memory.write(0x300000, frame);
    return 0x300000;
  }
  void checksummed(Bytes8& frame) {
    const auto p = parsed(frame);
    net::fill_layer4(frame, p, frame.size() - p.layer4_offset);
  }
  std::int64_t dma_errors() { return nic.statistics().dma_errors; }

  TestHost host{0x400000};
  Nic nic{{}, host};
  TestDriver driver{nic, host};
};

TEST_F(EmulatedNic, SplitsAFrameIntoHeaderAndPayloadBuffersOnceTheQueueRuns) {
  ASSERT_EQ(driver.create_rx(0, 4096, 128), 1u);
  driver.post(0, 32);
  EXPECT_EQ(nic.under_way(), 1u) << "a doorbell reads descriptors, and their delivery comes later";
  host.run();
  driver.doorbell(2, 1);
  auto frame = frame_of(Layer3::ipv4, Layer4::tcp, 1000);
  checksummed(frame);
  driver.receive(frame);
  const auto header_size = parsed(frame).header_length;
  EXPECT_TRUE(std::ranges::equal(driver.at(TestDriver::header(0), header_size), std::span{frame}.first(header_size)));
  EXPECT_TRUE(std::ranges::equal(driver.at(TestDriver::buffer(0), 1000), std::span{frame}.subspan(header_size)));
  const auto raw = driver.rx_completion(0, 0);
  const auto done = decode_rx_completion(raw);
  EXPECT_TRUE(done.split && done.end_of_packet && done.generation);
  EXPECT_EQ(done.payload_length, 1000u);
  EXPECT_EQ(done.header_length, header_size);
  EXPECT_EQ(raw[8], 0b1011) << "done, end of packet, checksums looked at and good";
  EXPECT_EQ(host.interrupts, std::vector<std::uint32_t>{2});
}

TEST_F(EmulatedNic, ABadLayer4ChecksumIsReportedAndCounted) {
  driver.create_rx(0, 4096, 128);
  driver.post(0, 32);
  host.run();
  for (const auto layer3 : {Layer3::ipv4, Layer3::ipv6}) {
    auto frame = frame_of(layer3, Layer4::udp, 100);
    checksummed(frame);
    frame.back() ^= 1;
    driver.receive(frame);
  }
  EXPECT_EQ(driver.rx_completion(0, 0)[8] >> 5 & 1, 1);
  EXPECT_EQ(driver.rx_completion(0, 1)[8] >> 5 & 1, 1);
  EXPECT_EQ(nic.statistics().bad_checksums, 2);
}

TEST_F(EmulatedNic, AJumboFrameTakesSeveralBuffersWithoutSplit) {
  driver.create_rx(0, 2048, 0);
  driver.post(0, 32);
  host.run();
  const auto frame = frame_of(Layer3::ipv6, Layer4::tcp, 8000);
  driver.receive(frame);
  Bytes8 got;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto done = decode_rx_completion(driver.rx_completion(0, i));
    EXPECT_EQ(done.end_of_packet, i == 3);
    const auto piece = driver.at(TestDriver::buffer(i), done.payload_length);
    got.insert(got.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(got, frame);
}

TEST_F(EmulatedNic, FramesWaitForBuffersAndKeepTheirBytes) {
  driver.create_rx(0, 4096, 128);
  {
    const auto frame = frame_of(Layer3::ipv4, Layer4::tcp, 700);
    driver.receive(frame);
  }
  EXPECT_EQ(driver.rx_completion(0, 0)[8], 0);
  driver.post(0, 32);
  host.run();
  const auto frame = frame_of(Layer3::ipv4, Layer4::tcp, 700);
  EXPECT_TRUE(std::ranges::equal(driver.at(TestDriver::buffer(0), 700), std::span{frame}.last(700)));
}

class Tso : public EmulatedNic, public testing::WithParamInterface<std::tuple<Layer3, std::size_t>> {};

TEST_P(Tso, CutsWithRightHeadersAndChecksumsAndLosesNoByte) {
  const auto [layer3, payload] = GetParam();
  ASSERT_EQ(driver.create_tx(0), 1u);
  const auto packet = frame_of(layer3, Layer4::tcp, payload);
  const auto header = parsed(packet).header_length;
  const auto at = put(packet);
  const std::size_t first = std::min<std::size_t>(payload, 5000);
  if (payload > first)
    driver.send(0, {{at, header + 10u}, {at + header + 10, first - 10}, {at + header + first, payload - first}}, 1448,
                static_cast<std::uint8_t>(header));
  else
    driver.send(0, {{at, header}, {at + header, first}}, 1448, static_cast<std::uint8_t>(header));
  host.run();
  Bytes8 got;
  ASSERT_EQ(host.frames.size(), (payload + 1447) / 1448);
  for (const auto& frame : host.frames) {
    const auto p = parsed(frame);
    EXPECT_EQ(net::check_layer4(frame, p), net::Layer4Checksum::good);
    EXPECT_EQ(p.tcp_sequence, 0xffff'f000 + static_cast<std::uint32_t>(got.size()));
    EXPECT_EQ((p.tcp_flags & net::tcp_psh) != 0, &frame == &host.frames.back());
    got.insert(got.end(), frame.begin() + header, frame.begin() + header + p.payload.count());
  }
  EXPECT_EQ(got, Bytes8(packet.begin() + header, packet.end()));
  EXPECT_EQ(driver.tx_completion(0, 0), encode_tx_completion(QueueIndex{0}, TxEvent::packet, 1, true));
  const auto head = static_cast<std::uint16_t>(payload > first ? 5 : 4);
  EXPECT_EQ(driver.tx_completion(0, 1), encode_tx_completion(QueueIndex{0}, TxEvent::descriptor, head, true));
  EXPECT_EQ(host.bytes_read[static_cast<std::size_t>(pcie::Purpose::payload)], payload);
  EXPECT_EQ(host.bytes_read[static_cast<std::size_t>(pcie::Purpose::header)], header);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Tso,
                         testing::Combine(testing::Values(Layer3::ipv4, Layer3::ipv6),
                                          testing::Values(1u, 1448u, 1449u, 14480u, 16383u)));

TEST_F(EmulatedNic, UdpIsCutIntoDatagrams) {
  for (const auto layer3 : {Layer3::ipv4, Layer3::ipv6}) {
    host.frames.clear();
    driver.command(7, {{8, 4, 0}});
    driver.create_tx(0);
    const auto packet = frame_of(layer3, Layer4::udp, 3000);
    const auto header = parsed(packet).header_length;
    driver.send(0, {{put(packet), packet.size()}}, 1200, static_cast<std::uint8_t>(header));
    host.run();
    ASSERT_EQ(host.frames.size(), 3u);
    Bytes8 got;
    for (const auto& frame : host.frames) {
      const auto p = parsed(frame);
      EXPECT_EQ(net::check_layer4(frame, p), net::Layer4Checksum::good);
      EXPECT_EQ(load_be(frame, p.layer4_offset + 4u, 2), static_cast<std::uint64_t>(p.payload.count()) + 8);
      got.insert(got.end(), frame.begin() + header, frame.begin() + header + p.payload.count());
    }
    EXPECT_EQ(got, Bytes8(packet.begin() + header, packet.end()));
  }
}

TEST_F(EmulatedNic, SmallFramesArePaddedAndChecksumsFilledIn) {
  driver.create_tx(1);
  const auto packet = frame_of(Layer3::ipv6, Layer4::udp, 3);
  driver.send(1, {{put(packet), packet.size()}});
  const Bytes8 arp{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x08, 0x06, 0, 1, 8, 0, 6, 4};
  host.run();
  driver.send(1, {{put(arp), arp.size()}});
  host.run();
  ASSERT_EQ(host.frames.size(), 2u);
  EXPECT_EQ(net::check_layer4(host.frames[0], parsed(host.frames[0])), net::Layer4Checksum::good);
  EXPECT_EQ(host.frames[1].size(), 60u);
  EXPECT_TRUE(std::ranges::equal(std::span{host.frames[1]}.first(arp.size()), arp));
}

TEST_F(EmulatedNic, WhatItSendsMayComeBackBeforeItIsDone) {
  driver.create_tx(0);
  driver.create_rx(0, 4096, 128);
  driver.post(0, 40);
  host.loop = &nic;
  auto packet = frame_of(Layer3::ipv4, Layer4::tcp, 14480);
  driver.send(0, {{put(packet), packet.size()}}, 1448, static_cast<std::uint8_t>(parsed(packet).header_length));
  host.run();
  EXPECT_EQ(nic.statistics().datapath.rx_payload, Bytes{14480});
  EXPECT_EQ(nic.statistics().bad_checksums, 0);
}

TEST_F(EmulatedNic, SegmentsAreCoalescedWhereTheDriverAllowsIt) {
  driver.create_tx(0);
  driver.create_rx(0, 4096, 128, true);
  driver.post(0, 40);
  host.loop = &nic;
  const auto packet = frame_of(Layer3::ipv4, Layer4::tcp, 14480);
  const auto header = parsed(packet).header_length;
  driver.send(0, {{put(packet), packet.size()}}, 1448, static_cast<std::uint8_t>(header));
  host.run();
  EXPECT_TRUE(host.wants_flush);
  EXPECT_EQ(nic.statistics().coalesced, 1) << "the last segment has PSH, so nothing is left to be flushed";
  Bytes8 got;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto raw = driver.rx_completion(0, i);
    const auto done = decode_rx_completion(raw);
    EXPECT_EQ(load_le(raw, 14, 2), 1448u);
    EXPECT_EQ(raw[7] >> 2 & 1, 1) << "coalesced";
    EXPECT_EQ(done.end_of_packet, i == 3);
    const auto piece = driver.at(TestDriver::buffer(i), done.payload_length);
    got.insert(got.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(got, Bytes8(packet.begin() + header, packet.end()));
  auto single = frame_of(Layer3::ipv4, Layer4::tcp, 100);
  single[34 + 13] = 0x10;  // no PSH
  checksummed(single);
  driver.receive(single);
  EXPECT_EQ(driver.rx_completion(0, 4)[8], 0) << "held";
  nic.flush();
  host.run();
  EXPECT_EQ(load_le(driver.rx_completion(0, 4), 14, 2), 0u) << "alone, so not coalesced";
  EXPECT_EQ(decode_rx_completion(driver.rx_completion(0, 4)).payload_length, 100u);
}

TEST_F(EmulatedNic, RingsWrapWithoutLosingAPacket) {
  driver.create_tx(0);
  driver.create_rx(0, 4096, 0);
  driver.post(0, 63);
  host.run();
  host.loop = &nic;
  const auto packet = frame_of(Layer3::ipv4, Layer4::tcp, 200);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    driver.send(0, {{put(packet), packet.size()}}, 0, 0, static_cast<std::uint16_t>(i));
    host.run();
    const auto done = decode_rx_completion(driver.rx_completion(0, i));
    ASSERT_EQ(done.generation, i / 64 % 2 == 0);
    ASSERT_EQ(done.payload_length, packet.size());
    ASSERT_EQ(driver.tx_completion(0, 2 * i),
              encode_tx_completion(QueueIndex{0}, TxEvent::packet, static_cast<std::uint16_t>(i), i / 32 % 2 == 0));
    driver.post(0, 1);
    host.run();
  }
}

TEST_F(EmulatedNic, AStoppedQueueDropsAndAnotherStartBeginsAfresh) {
  driver.create_rx(0, 4096, 128);
  driver.post(0, 32);
  host.run();
  const auto frame = frame_of(Layer3::ipv4, Layer4::tcp, 64);
  driver.receive(frame);
  EXPECT_EQ(driver.command(8, {{8, 4, 0}}), 1u);
  driver.receive(frame);
  EXPECT_EQ(nic.statistics().datapath.dropped(Drop::queue_stopped), 1);
  EXPECT_EQ(driver.create_rx(0, 2048, 0), 1u);
  driver.post(0, 32);
  host.run();
  driver.receive(frame);
  EXPECT_FALSE(decode_rx_completion(driver.rx_completion(0, 0)).split);
}

TEST_F(EmulatedNic, LinkDownTellsTheDriverAndDropsFrames) {
  driver.create_rx(0, 4096, 128);
  nic.set_link(false);
  EXPECT_EQ(host.interrupts, std::vector<std::uint32_t>{8});
  EXPECT_EQ(nic.registers().read(0, 4) & 4, 0u);
  driver.receive(frame_of(Layer3::ipv4, Layer4::tcp, 64));
  EXPECT_EQ(nic.statistics().datapath.dropped(Drop::link_down), 1);
}

TEST_F(EmulatedNic, VectorsMaskThemselvesAndTellWhatCameMeanwhile) {
  driver.create_rx(0, 4096, 128);
  driver.post(0, 32);
  host.run();
  const auto frame = frame_of(Layer3::ipv4, Layer4::tcp, 64);
  driver.receive(frame);
  EXPECT_TRUE(host.interrupts.empty());
  driver.doorbell(2, 1);
  EXPECT_EQ(host.interrupts.size(), 1u);
  driver.receive(frame);
  driver.receive(frame);
  EXPECT_EQ(host.interrupts.size(), 1u);
  driver.doorbell(2, 1);
  EXPECT_EQ(host.interrupts.size(), 2u);
}

// Whatever a guest does is refused and counted; nothing outside memory is touched (the sanitizers watch).
TEST_F(EmulatedNic, HostileGuests) {
  const std::uint64_t outside = 0xffff'ffff'ffff'fff0;
  // Rings outside memory, or wrapping round the end of the address space.
  EXPECT_EQ(driver.command(6, {{8, 4, 0},
                               {24, 8, TestDriver::scratch},
                               {32, 8, outside},
                               {40, 8, outside},
                               {48, 4, 0xffffffff},
                               {52, 2, 64},
                               {54, 2, 2048},
                               {56, 2, 64}}),
            1u);
  driver.post(0, 32);
  host.run();
  EXPECT_EQ(nic.statistics().datapath.dma_errors, 1);
  // Sizes that are no power of two, zero, huge; a queue, vector or header buffer that is not there.
  for (const std::uint64_t entries : {0u, 1u, 63u, 4096u, 65535u})
    EXPECT_NE(driver.command(
                  5, {{8, 4, 1}, {16, 8, TestDriver::scratch}, {32, 4, 0xffffffff}, {48, 2, entries}, {50, 2, 64}}),
              1u);
  EXPECT_NE(driver.create_rx(99, 2048, 0), 1u);
  EXPECT_NE(driver.create_rx(1, 0, 0), 1u);
  EXPECT_NE(driver.create_rx(1, 2048, 1023), 1u);
  EXPECT_GE(nic.statistics().refused_commands, 8);
  // Doorbells of nothing, and beyond the ring.
  const auto before = nic.statistics().bad_doorbells;
  driver.doorbell(rx_doorbells + 3, 5);
  driver.doorbell(tx_doorbells + 200, 5);
  driver.doorbell(rx_doorbells, 64);
  nic.registers().write(0x14, 4, 0x7fffffff);
  EXPECT_EQ(nic.statistics().bad_doorbells, before + 4);
  // Transmit: no header, a packet to be cut with a wrong header length, a header length that is not the header's, data
  // outside memory.
  driver.create_tx(2);
  const auto packet = frame_of(Layer3::ipv4, Layer4::udp, 3000);
  const auto at = put(packet);
  driver.send(2, {{at, 10}});
  driver.send(2, {{at, 3000}}, 1448, 42);
  driver.send(2, {{outside, 1000}});
  driver.send(2, {{at, 3000}}, 1, 54);
  host.run();
  EXPECT_TRUE(host.frames.empty());
  EXPECT_EQ(nic.statistics().datapath.bad_descriptors, 4);
  EXPECT_GE(dma_errors(), 1);
  // A payload outside memory behind a good header.
  driver.send(2, {{at, 60}, {outside, 100}});
  host.run();
  EXPECT_TRUE(host.frames.empty());
  // Frames from the wire of any length.
  for (std::size_t n = 0; n < 200; ++n) driver.receive(std::span{packet}.first(n));
  driver.receive(Bytes8(70000, 0x45));
  // Reset with work pending.
  driver.doorbell(tx_doorbells + 2, 7);
  nic.registers().write(0x04, 4, 2);
  host.run();
  EXPECT_EQ(nic.registers().read(0, 4) & 0x10, 0x10u);
}

TEST_F(EmulatedNic, PacketsLeaveInTheOrderOfTheDoorbells) {
  driver.create_tx(1);
  const auto packet = frame_of(Layer3::ipv4, Layer4::udp, 100);
  const auto at = put(packet);
  driver.send(1, {{at, 60}});
  driver.doorbell(tx_doorbells + 1, 2);
  TestDriver other = driver;
  other.create_tx(0);
  other.send(0, {{at, 61}});
  driver.send(1, {{at, 62}});
  host.run();
  ASSERT_EQ(host.frames.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(host.frames[i].size(), 60 + i);
}

TEST_F(EmulatedNic, ADeliveryIsABoundedPieceOfWork) {
  driver.create_tx(0);
  const auto packet = frame_of(Layer3::ipv4, Layer4::udp, 100);
  const auto at = put(packet);
  for (int i = 0; i < 30; ++i) driver.send(0, {{at, 60u + static_cast<std::uint64_t>(i)}});
  EXPECT_EQ(nic.under_way(), 1u) << "a doorbell reads descriptors";
  std::size_t most = 0, steps = 0;
  for (std::size_t sent = 0; host.step(); sent = host.frames.size(), ++steps)
    most = std::max(most, host.frames.size() - sent);
  EXPECT_EQ(most, 1u) << "a packet goes when its data comes";
  EXPECT_GT(steps, 100u);
  driver.send(0, {{at, 90}});
  host.run();
  ASSERT_EQ(host.frames.size(), 31u);
  for (std::size_t i = 0; i < host.frames.size(); ++i) EXPECT_EQ(host.frames[i].size(), 60 + i);
}

TEST_F(EmulatedNic, SegmentsOfManyFlowsAreLetGoInPieces) {
  driver.create_rx(0, 4096, 128, true);
  driver.post(0, 40);
  host.run();
  for (std::uint32_t flow = 0; flow < 3; ++flow) {
    auto frame = frame_of(Layer3::ipv4, Layer4::tcp, 100, flow);
    frame[34 + 13] = 0x10;  // no PSH
    checksummed(frame);
    driver.receive(frame);
  }
  for (std::uint32_t gone = 1; gone <= 3; ++gone) {
    EXPECT_EQ(nic.flush(), gone < 3);
    host.run();
    EXPECT_NE(driver.rx_completion(0, gone - 1)[8], 0);
    EXPECT_EQ(driver.rx_completion(0, gone)[8], 0);
  }
}

TEST_F(EmulatedNic, FramesThatComeWhileItIsAtWorkKeepTheirOrder) {
  driver.create_tx(0);
  driver.create_rx(0, 4096, 0);
  driver.post(0, 40);
  host.run();
  host.loop = &nic;
  auto packet = frame_of(Layer3::ipv4, Layer4::udp, 100);
  packet[12] = 0x88;  // of any length: not IP
  const auto at = put(packet);
  for (std::uint64_t i = 0; i < 3; ++i) driver.send(0, {{at, 60 + i}});
  while (host.frames.size() < 3) ASSERT_TRUE(host.step());
  driver.receive(std::span{packet}.first(63));
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(decode_rx_completion(driver.rx_completion(0, i)).payload_length, 60 + i);
}

TEST_F(EmulatedNic, AfterAFaultItIsResetAndAsksTheDriverToDoTheSame) {
  driver.create_rx(0, 4096, 128);
  driver.receive(frame_of(Layer3::ipv4, Layer4::tcp, 700));  // waits for buffers
  driver.doorbell(2, 1);
  nic.fail();
  EXPECT_EQ(nic.registers().read(0, 4) & 2, 2u);
  EXPECT_EQ(host.interrupts, std::vector<std::uint32_t>{8}) << "the management vector";
  EXPECT_EQ(nic.statistics().datapath.dropped(Drop::queue_stopped), 1);
  TestDriver again{nic, host};
  nic.registers().write(0x04, 4, 2);
  EXPECT_EQ(nic.registers().read(0, 4) & 2, 0u);
  nic.registers().write(0x04, 4, 1);
  EXPECT_EQ(again.create_rx(0, 4096, 128), 1u);
}

TEST_F(EmulatedNic, ADoorbellStormIsBoundedWork) {
  driver.create_tx(0);
  driver.create_tx(1);
  for (int i = 0; i < 100'000; ++i)
    driver.doorbell(tx_doorbells + static_cast<std::uint32_t>(i & 1), static_cast<std::uint32_t>(i) & 63);
  EXPECT_EQ(nic.under_way(), 2u) << "a read of descriptors each";
  host.run();
  EXPECT_LE(host.bytes_read[static_cast<std::size_t>(pcie::Purpose::descriptor)], 2u * 64 * 16) << "a ring each";
}

TEST_F(EmulatedNic, ADriverThatDoesNotWaitForCompletionsIsMadeToWait) {
  driver.create_tx(0);
  const auto packet = frame_of(Layer3::ipv4, Layer4::udp, 100);
  const auto at = put(packet);
  for (int i = 0; i < 2000; ++i) {
    driver.send(0, {{at, packet.size()}});
    if (i % 7 == 0) host.step();
    ASSERT_LE(nic.under_way(), 200u);
  }
  host.run();
  EXPECT_EQ(nic.statistics().datapath.bad_doorbells, 0);
}

TEST_F(EmulatedNic, WhatIsDeliveredAfterAResetIsIgnored) {
  driver.create_tx(0);
  driver.create_rx(0, 4096, 128);
  const auto packet = frame_of(Layer3::ipv4, Layer4::udp, 3000);
  const auto at = put(packet);
  for (int steps = 0; steps < 40; ++steps) {
    driver.post(0, 8);
    driver.send(0, {{at, packet.size()}});
    nic.receive(packet);
    host.run(steps);
    nic.reset();
    EXPECT_EQ(nic.under_way(), 0u);
    host.run();
    EXPECT_EQ(nic.under_way(), 0u);
    driver = TestDriver{nic, host};
    driver.steer_all(0);
    ASSERT_EQ(driver.create_tx(0), 1u);
    ASSERT_EQ(driver.create_rx(0, 4096, 128), 1u);
  }
  driver.post(0, 8);
  driver.receive(packet);
  EXPECT_EQ(decode_rx_completion(driver.rx_completion(0, 0)).payload_length, 3000u);
}

TEST_F(EmulatedNic, AQueueEndsWithWorkUnderWay) {
  const auto packet = frame_of(Layer3::ipv4, Layer4::udp, 3000);
  const auto at = put(packet);
  for (int steps = 0; steps < 60; ++steps) {
    ASSERT_EQ(driver.create_tx(0), 1u);
    ASSERT_EQ(driver.create_rx(0, 4096, 128), 1u);
    driver.post(0, 8);
    driver.send(0, {{at, packet.size()}});
    host.tick();
    nic.receive(packet);
    host.run(steps);
    ASSERT_EQ(driver.command(7, {{8, 4, 0}}), 1u);
    ASSERT_EQ(driver.command(8, {{8, 4, 0}}), 1u);
    EXPECT_EQ(nic.under_way(), 0u) << "before it is answered all has ended";
    EXPECT_EQ(nic.statistics().datapath.dma_errors, 0);
  }
  driver.create_rx(0, 4096, 128);
  driver.post(0, 8);
  driver.receive(packet);
  EXPECT_EQ(decode_rx_completion(driver.rx_completion(0, 0)).payload_length, 3000u);
}

}  // namespace
}  // namespace peerpath::nic::gve
