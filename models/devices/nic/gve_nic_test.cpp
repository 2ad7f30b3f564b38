#include "devices/nic/test_emulated_nic.hpp"

namespace peerpath::nic::gve {
namespace {

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

}  // namespace
}  // namespace peerpath::nic::gve
