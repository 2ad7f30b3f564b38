#include "core/devices/host_memory/memory_gate.hpp"

#include <gtest/gtest.h>

namespace peerpath::host_memory {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using pcie::TlpClass;

constexpr Instant at{1us};

fabric::GatedTlp tlp(TlpClass c, std::uint64_t address = 0) {
  return {.tlp_class = c, .address = address, .bytes = 64_B, .at = at};
}

TEST(MemoryGate, IsOnlyWantedForACacheOrAHop) {
  EXPECT_FALSE(MemoryGate::wanted({}));
  EXPECT_TRUE(MemoryGate::wanted({.cache = device::CacheConfig{}}));
  EXPECT_TRUE(MemoryGate::wanted({.remote_hop = 50ns}));
}

TEST(MemoryGate, AReadThatMissesIsLater) {
  MemoryGate gate{{.cache = device::CacheConfig{.miss_latency = 53ns}}};
  EXPECT_EQ(gate.pass(tlp(TlpClass::non_posted)), at + 53ns);
  gate.cache()->touch_by_core(0, 64_B);
  EXPECT_EQ(gate.pass(tlp(TlpClass::non_posted)), at);
}

TEST(MemoryGate, ReadsOfARemoteSocketTakeTheHopUnlessTheNearCacheHoldsTheLine) {
  MemoryGate gate{{.cache = device::CacheConfig{.miss_latency = 53ns}, .remote_hop = 51ns}};
  EXPECT_EQ(gate.pass(tlp(TlpClass::non_posted)), at + 104ns);
  EXPECT_EQ(gate.pass(tlp(TlpClass::posted)), at + 53ns);
  EXPECT_EQ(gate.pass(tlp(TlpClass::non_posted)), at + 53ns) << "it waits for the write";
  auto later = tlp(TlpClass::non_posted);
  later.at += 1us;
  EXPECT_EQ(gate.pass(later), at + 1us);
  MemoryGate bare{{.remote_hop = 51ns}};
  EXPECT_EQ(bare.pass(tlp(TlpClass::non_posted)), at + 51ns);
  EXPECT_EQ(bare.pass(tlp(TlpClass::posted)), at);
}

TEST(MemoryGate, CompletionsAndInterruptsPass) {
  MemoryGate gate{{.cache = device::CacheConfig{}, .remote_hop = 51ns}};
  EXPECT_EQ(gate.pass(tlp(TlpClass::completion)), at);
  auto interrupt = tlp(TlpClass::posted);
  interrupt.purpose = pcie::Purpose::interrupt;
  EXPECT_EQ(gate.pass(interrupt), at);
  EXPECT_EQ(gate.cache()->counters().write_misses, 0);
}

}  // namespace
}  // namespace peerpath::host_memory
