#include "transport/host/rated_dma.hpp"

#include <gtest/gtest.h>

namespace peerpath::transport {
namespace {

using namespace std::chrono_literals;
using namespace literals;

Instant next(Ring<Instant>& ends) {
  const auto first = ends.front();
  ends.pop();
  return first;
}

TEST(RatedDma, AWriteEndsAtTheRateBehindOthersAndALatencyLater) {
  RatedDma dma{{.drain = 80_Gbps, .fetch = 80_Gbps, .latency = 500ns}};
  dma.write(4000_B, Instant{});
  dma.write(4000_B, Instant{});
  dma.write(4000_B, Instant{10us});
  EXPECT_EQ(next(dma.written), Instant{900ns});
  EXPECT_EQ(next(dma.written), Instant{1300ns});
  EXPECT_EQ(next(dma.written), Instant{10us + 900ns});
}

TEST(RatedDma, WithoutARateOnlyTheLatencyIsLeft) {
  RatedDma dma{{.latency = 500ns, .send_latency = 700ns}};
  for (int i = 0; i < 3; ++i) dma.write(4000_B, Instant{1us});
  dma.read(4000_B, Instant{1us});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(next(dma.written), Instant{1500ns});
  EXPECT_EQ(next(dma.fetched), Instant{1700ns});
}

TEST(RatedDma, WhatBothWaysShareHalvesEach) {
  RatedDma dma{
      {.drain = 80_Gbps, .fetch = 80_Gbps, .drain_beside = 80_Gbps, .fetch_beside = 80_Gbps, .together = 80_Gbps}};
  for (int i = 0; i < 100; ++i) {
    dma.write(4000_B, Instant{});
    dma.read(4000_B, Instant{});
  }
  Instant written{}, fetched{};
  while (!dma.written.empty()) written = next(dma.written);
  while (!dma.fetched.empty()) fetched = next(dma.fetched);
  EXPECT_NEAR(static_cast<double>(written.time_since_epoch().count()), static_cast<double>(Duration{80us}.count()),
              1e9);
  EXPECT_NEAR(static_cast<double>(fetched.time_since_epoch().count()), static_cast<double>(Duration{80us}.count()),
              1e9);
}

TEST(RatedDma, EndsComeInTheOrderOfAsking) {
  // Behind a backlog of writes a read takes longer; one after it is not in the NIC earlier.
  RatedDma dma{{.drain = 8_Gbps,
                .fetch = 80_Gbps,
                .drain_beside = 8_Gbps,
                .fetch_beside = 80_Gbps,
                .send_latency = 1us,
                .send_latency_beside = 50us}};
  dma.write(100'000_B, Instant{});
  dma.read(1000_B, Instant{99us});
  dma.read(1000_B, Instant{101us});
  const auto first = next(dma.fetched);
  EXPECT_GE(first, Instant{149us});
  EXPECT_GE(next(dma.fetched), first);
}

}  // namespace
}  // namespace peerpath::transport
