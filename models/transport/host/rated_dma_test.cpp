#include "transport/host/rated_dma.hpp"

#include <gtest/gtest.h>

#include <utility>

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

TEST(RatedDma, ABurstBesideABacklogHasARateOfItsOwnAndTakesTimeFromWhatArrives) {
  const auto last_written = [](Bytes sent) {
    RatedDma dma{{.drain = 80_Gbps,
                  .fetch = 80_Gbps,
                  .drain_beside = 40_Gbps,
                  .fetch_beside = 40_Gbps,
                  .fetch_burst = 60_Gbps,
                  .burst_toll = 800_Gbps}};
    for (int i = 0; i < 100; ++i) dma.write(8000_B, Instant{});
    for (Bytes left = sent; left > 0_B; left -= 4000_B) dma.read(4000_B, Instant{});
    Instant fetched{};
    while (!dma.fetched.empty()) fetched = next(dma.fetched);
    dma.write(8000_B, Instant{1us});
    Instant written{};
    while (!dma.written.empty()) written = next(dma.written);
    return std::pair{written, fetched};
  };
  EXPECT_EQ(last_written(0_B).first, Instant{808'000_B / 80_Gbps});
  const auto [written, fetched] = last_written(60'000_B);
  EXPECT_NEAR(static_cast<double>((fetched - Instant{60'000_B / 60_Gbps}).count()), 0, 1e3);
  EXPECT_NEAR(static_cast<double>((written - Instant{808'000_B / 80_Gbps + 60'000_B / 800_Gbps}).count()), 0, 1e3);
  // What goes on is a backlog: the rate of both.
  const auto beyond = last_written(400'000_B).second;
  EXPECT_NEAR(static_cast<double>((beyond - Instant{128'000_B / 60_Gbps + 272'000_B / 40_Gbps}).count()), 0, 1e9);
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
