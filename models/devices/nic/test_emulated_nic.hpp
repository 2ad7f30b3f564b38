// A whole emulated NIC with a driver and memory, for tests.
#pragma once

#include <gtest/gtest.h>

#include "devices/nic/test_driver.hpp"

namespace peerpath::nic::gve {

using net::Layer3;
using net::Layer4;
using Bytes8 = std::vector<std::uint8_t>;

inline Bytes8 frame_of(Layer3 layer3, Layer4 layer4, std::size_t payload, std::uint32_t flow = 1) {
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

inline net::ParsedFrame parsed(std::span<const std::uint8_t> frame) {
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

}  // namespace peerpath::nic::gve
