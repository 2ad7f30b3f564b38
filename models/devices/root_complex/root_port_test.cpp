#include "devices/root_complex/root_port.hpp"

#include <gtest/gtest.h>

namespace peerpath::root_complex {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using pcie::TlpClass;

constexpr Instant at{1us};

fabric::GatedTlp tlp(TlpClass c, std::uint64_t address = 0) {
  return {.tlp_class = c, .address = address, .bytes = 64_B, .at = at};
}

device::RootComplexConfig with_iommu() { return {.iommu = device::IommuConfig{.walk_latency = 290ns}}; }

TEST(RootPort, NeedsNoGateWithoutAnIommu) {
  EXPECT_FALSE(RootPort::wanted({}));
  EXPECT_TRUE(RootPort::wanted(with_iommu()));
  RootPort port{{}};
  EXPECT_EQ(port.pass(tlp(TlpClass::posted)), at);
}

TEST(RootPort, TranslatesEveryUntranslatedRequest) {
  RootPort port{with_iommu()};
  EXPECT_EQ(port.pass(tlp(TlpClass::posted, 0x1000)), at + 290ns);
  EXPECT_EQ(port.pass(tlp(TlpClass::non_posted, 0x2000)), at + 290ns);
  EXPECT_EQ(port.pass(tlp(TlpClass::non_posted, 0x1000)), at + 290ns) << "its walk is under way";
  EXPECT_EQ(port.iommu()->counters().misses, 2);
}

TEST(RootPort, TranslatedRequestsCompletionsAndInterruptsPass) {
  RootPort port{with_iommu()};
  auto translated = tlp(TlpClass::posted);
  translated.translated = true;
  auto interrupt = tlp(TlpClass::posted);
  interrupt.purpose = pcie::Purpose::interrupt;
  for (const auto& t : {translated, interrupt, tlp(TlpClass::completion)}) EXPECT_EQ(port.pass(t), at);
  EXPECT_EQ(port.iommu()->counters().misses, 0);
}

TEST(RootPort, ARunGoesOnTogetherAsFarAsItIsTranslatedAlike) {
  RootPort port{with_iommu()};
  auto t = tlp(TlpClass::posted, 0x1f00);
  t.target = fabric::NodeId{7};
  EXPECT_EQ(port.pass_run(t, 10ns, 8).count, 1) << "a miss";
  t.at += 1us;
  const auto run = port.pass_run(t, 10ns, 8);
  EXPECT_EQ(run.first, t.at);
  EXPECT_EQ(run.count, 4) << "up to the end of the page";
  EXPECT_EQ(port.iommu()->counters().hits, 4);
  EXPECT_EQ(port.pass_run(tlp(TlpClass::completion), 10ns, 8).count, 8);
}

constexpr fabric::NodeId memory{1}, gpu{2}, nic{3};

fabric::GatedTlp from_nic(TlpClass c, fabric::NodeId target, Bytes bytes) {
  return {.tlp_class = c, .requester = nic, .target = target, .bytes = bytes, .at = at};
}

TEST(RootPort, WritesToMemoryTakeACreditALine) {
  RootPort port{{.credits = device::CreditsConfig{.write_credits = 8, .write_latency = 300ns}}, memory};
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, memory, 256_B)), at);
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, memory, 256_B)), at);
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, memory, 64_B)), at + 300ns);
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, gpu, 256_B)), at) << "what goes to peers needs none";
  EXPECT_EQ(port.write_credits_held(at + 1us), Duration{9 * 300ns});
  EXPECT_EQ(port.write_credits_held(at + 200ns), Duration{8 * 200ns}) << "the ninth is taken later";
  EXPECT_EQ(port.read_credits_held(at + 1us), Duration{0});
}

TEST(RootPort, WritesWithoutRelaxedOrderingWaitForEarlierOnesToBeCommitted) {
  RootPort port{{.ordered_writes = device::OrderedWritesConfig{.lines = 8, .commit_latency = 300ns}}, memory};
  auto relaxed = from_nic(TlpClass::posted, memory, 256_B);
  relaxed.relaxed_ordering = true;
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, memory, 256_B)), at);
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, memory, 256_B)), at);
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, memory, 256_B)), at + 300ns);
  EXPECT_EQ(port.pass(relaxed), at);
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, gpu, 256_B)), at) << "peers commit as they like";
  EXPECT_EQ(port.pass_run(from_nic(TlpClass::posted, memory, 256_B), 1ns, 4).count, 1);
  EXPECT_EQ(port.ordered_waited(at + 1us), Duration{300ns});
  EXPECT_EQ(port.ordered_waited(at + 100ns), Duration{100ns});
}

TEST(RootPort, AWriteWithoutDataDoesNotLetOthersAhead) {
  RootPort port{{.ordered_writes = device::OrderedWritesConfig{.lines = 4, .commit_latency = 300ns}}, memory};
  for (int i = 0; i < 10; ++i) {
    port.pass(from_nic(TlpClass::posted, memory, 256_B));
    EXPECT_EQ(port.pass(from_nic(TlpClass::posted, memory, 0_B)), at + i * 300ns) << "it stays behind the one before";
  }
  EXPECT_EQ(port.ordered_waited(at + 10us), Duration{9 * 300ns});
}

TEST(RootPort, CoresThatKeepTheMemoryBusyMakeCreditsStayAway) {
  RootPort port{{.credits = device::CreditsConfig{.read_credits = 1, .read_latency = 300ns, .cpu_load_percent = 40}},
                memory};
  port.pass(from_nic(TlpClass::non_posted, memory, 64_B));
  EXPECT_EQ(port.pass(from_nic(TlpClass::non_posted, memory, 64_B)), at + 500ns);
}

TEST(RootPort, WhatPeersReadComesAtARateOfItsOwn) {
  RootPort port{{.peer_to_peer = device::PeerConfig{.read_rate = 16_Gbps, .latency = 100ns}}, memory};
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, gpu, 256_B)), at + 100ns);
  EXPECT_EQ(port.pass(from_nic(TlpClass::non_posted, gpu, 256_B)), at + 100ns);
  EXPECT_EQ(port.pass(from_nic(TlpClass::posted, memory, 256_B)), at);
  // the GPU's root port: data that the NIC reads goes back by it
  const auto data = from_nic(TlpClass::completion, gpu, 256_B);
  EXPECT_EQ(port.pass(data), at);
  EXPECT_EQ(port.pass(data), at + 128ns);
  auto to_cores = data;
  to_cores.requester = memory;
  EXPECT_EQ(port.pass(to_cores), at);
}

TEST(PeerWrites, PassOneAfterTheOtherAndThenTheReceiversOwnGate) {
  RootPort slow{{.peer_to_peer = device::PeerConfig{.latency = 10ns}}, memory};
  PeerWrites gate{{.write_rate = 64_Gbps}, memory, &slow};
  EXPECT_EQ(gate.pass(from_nic(TlpClass::posted, gpu, 256_B)), at + 10ns);
  EXPECT_EQ(gate.pass(from_nic(TlpClass::posted, gpu, 256_B)), at + 42ns);
  auto doorbell = from_nic(TlpClass::posted, gpu, 4_B);
  doorbell.requester = memory;
  EXPECT_EQ(gate.pass(doorbell), at + 10ns) << "of cores";
  EXPECT_EQ(gate.busy_until(at + 1us), Duration{64ns});
  EXPECT_EQ(gate.busy_until(at + 40ns), Duration{40ns});
  PeerWrites last{{.write_rate = 64_Gbps}, memory, nullptr};
  EXPECT_EQ(last.pass(from_nic(TlpClass::non_posted, gpu, 256_B)), at);
}

}  // namespace
}  // namespace peerpath::root_complex
