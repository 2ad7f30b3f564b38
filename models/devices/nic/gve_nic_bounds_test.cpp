// Guests that break the rules, bounded work, and ends in the middle of DMA.
#include "devices/nic/test_emulated_nic.hpp"

namespace peerpath::nic::gve {
namespace {

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
