#include "devices/host_memory/memory_gate.hpp"

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

TEST(MemoryGate, WritesOfLessThanALineTakeTurns) {
  MemoryGate gate{{.partial_write_interval = 2ns}};
  auto partial = tlp(TlpClass::posted);
  partial.bytes = 32_B;
  EXPECT_EQ(gate.pass(partial), at);
  EXPECT_EQ(gate.pass(partial), at + 2ns);
  EXPECT_EQ(gate.pass(tlp(TlpClass::posted)), at + 2ns) << "a whole line waits only for those before it";
  EXPECT_EQ(gate.pass(partial), at + 4ns);
}

TEST(MemoryGate, ReadRequestsOfEachDeviceTakeTurns) {
  MemoryGate gate{{.read_interval = 2ns}};
  auto first = tlp(TlpClass::non_posted), second = first;
  first.requester = fabric::NodeId{1};
  second.requester = fabric::NodeId{2};
  EXPECT_EQ(gate.pass(first), at);
  EXPECT_EQ(gate.pass(first), at + 2ns);
  EXPECT_EQ(gate.pass(second), at) << "another device's port takes in its own";
  EXPECT_EQ(gate.pass(second), at + 2ns);
  EXPECT_TRUE(MemoryGate::wanted({.read_interval = 1ns}));
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

fabric::GatedTlp of(TlpClass c, std::uint64_t address, Bytes bytes) {
  return {.tlp_class = c, .address = address, .bytes = bytes, .at = at};
}

TEST(MemoryGate, AccessesToOneChannelTakeTurnsAndThoseToOthersDoNot) {
  MemoryGate gate{{.channels = device::ChannelsConfig{.count = 2, .rate = 64_Gbps, .interleave = 256_B}}};
  EXPECT_EQ(gate.pass(of(TlpClass::non_posted, 0, 256_B)), at);
  EXPECT_EQ(gate.pass(of(TlpClass::non_posted, 256, 256_B)), at) << "the other channel";
  EXPECT_EQ(gate.pass(of(TlpClass::non_posted, 512, 256_B)), at + 32ns);
  EXPECT_EQ(gate.pass(of(TlpClass::posted, 256, 64_B)), at + 32ns);
  EXPECT_EQ(gate.pass(of(TlpClass::non_posted, 128, 256_B)), at + 64ns)
      << "a bit of each; the first is taken until then";
}

TEST(MemoryGate, CoresTakeTheirShareOfEachChannel) {
  MemoryGate gate{{.channels = device::ChannelsConfig{.count = 1, .rate = 64_Gbps, .cpu_load_percent = 50}}};
  gate.pass(of(TlpClass::non_posted, 0, 256_B));
  EXPECT_EQ(gate.pass(of(TlpClass::non_posted, 0, 256_B)), at + 64ns);
}

TEST(MemoryGate, WhatTheCacheHoldsTakesNoChannel) {
  MemoryGate gate{{.cache = device::CacheConfig{.miss_latency = 53ns},
                   .channels = device::ChannelsConfig{.count = 1, .rate = 64_Gbps}}};
  gate.cache()->touch_by_core(0, 256_B);
  EXPECT_EQ(gate.pass(of(TlpClass::non_posted, 4096, 256_B)), at + 53ns);
  EXPECT_EQ(gate.pass(of(TlpClass::non_posted, 0, 256_B)), at);
  EXPECT_EQ(gate.pass(of(TlpClass::non_posted, 4096, 256_B)), at + 85ns);
}

TEST(MemoryGate, ReadsWaitWhileTheirRankIsRefreshed) {
  MemoryGate gate{{}};
  gate.set_refresh({.interval = 1us, .time = 300ns, .ranks = 1});
  Duration waited{};
  int late = 0;
  for (int i = 0; i < 10'000; ++i) {
    auto read = tlp(TlpClass::non_posted);
    read.at = at + i * 10ns;
    const auto wait = gate.pass(read) - read.at;
    EXPECT_GE(wait, 0ns);
    EXPECT_LE(wait, 300ns);
    waited += wait;
    late += wait > 0ns;
  }
  EXPECT_NEAR(late, 3000, 60);                                     // the share of the time that a refresh takes
  EXPECT_NEAR(static_cast<double>(waited / 10'000 / 1ns), 45, 2);  // 300^2 / (2 * 1000)
}

TEST(MemoryGate, WholeLinesAndWhatTheCacheHoldsDoNotWaitForARefresh) {
  MemoryGate gate{{.cache = device::CacheConfig{.miss_latency = 50ns}}};
  gate.set_refresh({.interval = 1us, .time = 1us, .ranks = 1});
  EXPECT_EQ(gate.pass(tlp(TlpClass::posted)), at + 50ns);
  auto read = tlp(TlpClass::non_posted);
  read.at += 100ns;
  EXPECT_EQ(gate.pass(read), read.at);
  auto part = tlp(TlpClass::posted, 4096);
  part.bytes = 8_B;
  EXPECT_EQ(gate.pass(part), at + 1us + 80ns) << "its line is fetched after the refresh";
}

TEST(MemoryGate, AnotherRowOfABankIsOpenedACycleAfterTheLastOne) {
  MemoryGate gate{{}};
  gate.set_refresh({.interval = 1us, .time = 0ns, .ranks = 2});
  gate.set_banks({.count = 8, .cycle = 47ns});
  const auto read_at = [&](std::uint64_t address, Duration after) {
    auto read = tlp(TlpClass::non_posted, address);
    read.at = at + after;
    return gate.pass(read) - at;
  };
  constexpr std::uint64_t next_row = 2 * 8192, same_bank = 4 * next_row, other_half = 1 << 20;
  EXPECT_EQ(read_at(0, 0ns), 0ns);
  EXPECT_EQ(read_at(512, 1ns), 1ns) << "the row is open";
  EXPECT_EQ(read_at(next_row, 2ns), 2ns) << "another bank";
  EXPECT_EQ(read_at(same_bank, 3ns), 47ns);
  EXPECT_EQ(read_at(same_bank + 256, 4ns), 4ns) << "the other rank";
  EXPECT_EQ(read_at(other_half, 5ns), 5ns) << "the other half of the banks";
  EXPECT_EQ(read_at(0, 50ns), 94ns) << "its row was closed at 47 ns";
  EXPECT_EQ(read_at(same_bank, 200ns), 200ns) << "long after";
}

TEST(MemoryGate, ALineOnItsWayIsWaitedFor) {
  MemoryGate gate{{.cache = device::CacheConfig{.miss_latency = 50ns}, .remote_hop = 30ns}};
  const auto read_at = [&](std::uint64_t address, Bytes bytes, Duration after) {
    auto read = of(TlpClass::non_posted, address, bytes);
    read.at = at + after;
    return gate.pass(read) - at;
  };
  EXPECT_EQ(read_at(64, 64_B, 0ns), 80ns);
  EXPECT_EQ(read_at(64, 64_B, 0ns), 80ns) << "unless it is asked for";
  gate.fetch_lines_once();
  EXPECT_EQ(read_at(0, 128_B, 0ns), 80ns);
  EXPECT_EQ(read_at(64, 64_B, 10ns), 160ns) << "fetched when the first fetch is there";
  EXPECT_EQ(read_at(64, 64_B, 20ns), 240ns) << "and then once more";
  EXPECT_EQ(read_at(128, 64_B, 30ns), 110ns) << "another line";
  gate.cache()->touch_by_core(0, 64_B);
  EXPECT_EQ(read_at(0, 64_B, 40ns), 40ns);
}

}  // namespace
}  // namespace peerpath::host_memory
