#include "devices/gpu/peer_reads.hpp"

#include <gtest/gtest.h>

namespace peerpath::gpu {
namespace {

using namespace literals;
using namespace std::chrono_literals;

TEST(PeerReads, AreServedSomeAtATimeAndWritesArePassed) {
  device::GpuConfig config;
  config.peer_reads = 2;
  config.read_latency = 600ns;
  config.read_rate = 4096_Gbps;
  PeerReads gate{config};
  const Instant at{1us};
  const auto tlp = [&](pcie::TlpClass c) { return fabric::GatedTlp{.tlp_class = c, .bytes = 512_B, .at = at}; };
  EXPECT_EQ(gate.pass(tlp(pcie::TlpClass::non_posted)), at);
  EXPECT_EQ(gate.pass(tlp(pcie::TlpClass::non_posted)), at);
  EXPECT_EQ(gate.pass(tlp(pcie::TlpClass::non_posted)), at + 601ns);
  EXPECT_EQ(gate.pass(tlp(pcie::TlpClass::posted)), at);
  EXPECT_EQ(gate.pass(tlp(pcie::TlpClass::completion)), at);
}

}  // namespace
}  // namespace peerpath::gpu
