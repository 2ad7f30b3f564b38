#include "transport/traffic/arrival_process.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace peerpath::transport {
namespace {

using namespace literals;
using namespace std::chrono_literals;

ArrivalProcess process(Arrival law, int burst = 4) {
  return {{.rate = 8_Gbps, .law = law, .burst = burst, .start = Instant{100ns}}, Random{3, "test"}};
}

TEST(ArrivalProcess, RegularFollowsTheBytesExactly) {
  auto p = process(Arrival::regular);
  EXPECT_EQ(p.next(1000_B), Instant{100ns});
  EXPECT_EQ(p.next(500_B), Instant{1100ns});
  EXPECT_EQ(p.next(1_B), Instant{1600ns});
}

TEST(ArrivalProcess, RoundingDoesNotAddUp) {
  ArrivalProcess p{{.rate = BitRate{3'000'000'000}}, Random{3, "test"}};
  for (int i = 0; i < 3'000'000; ++i) p.next(1_B);  // 8/3 ns each
  EXPECT_EQ(p.next(1_B), Instant{8ms});
}

TEST(ArrivalProcess, JitterStaysWithinTheOwnInterval) {
  auto p = process(Arrival::jittered);
  bool moved = false;
  for (int i = 0; i < 1000; ++i) {
    const Instant mean{100ns + i * 1000ns}, at = p.next(1000_B);
    EXPECT_GE(at, mean);
    EXPECT_LE(at, mean + 1000ns);
    moved = moved || at > mean + 500ns;
  }
  EXPECT_TRUE(moved);
}

TEST(ArrivalProcess, BurstsComeAtOnceAndKeepTheMeanRate) {
  auto p = process(Arrival::burst, 3);
  std::vector<std::int64_t> at;
  for (int i = 0; i < 7; ++i) at.push_back(femtoseconds(p.next(1000_B)) / 1'000'000);
  EXPECT_EQ(at, (std::vector<std::int64_t>{100, 100, 100, 3100, 3100, 3100, 6100}));
}

TEST(ArrivalProcess, ExponentialAtKnownPoints) {
  constexpr double one = 4294967296.0;
  EXPECT_EQ(exponential_q32(std::uint64_t{1} << 63 | 1), 2'977'044'472U);                    // ln 2
  EXPECT_NEAR(static_cast<double>(exponential_q32(6786177901268885504U)) / one, 1.0, 1e-9);  // 2^64 / e
  EXPECT_NEAR(static_cast<double>(exponential_q32(0)) / one, 44.3614195558365, 1e-8);        // 64 ln 2, its largest
  EXPECT_LT(exponential_q32(~std::uint64_t{0}), 4U);                                         // 0, but for rounding
}

TEST(ArrivalProcess, PoissonHasTheMeanTheVarianceAndTheTailOfAnExponential) {
  auto p = process(Arrival::poisson);
  constexpr int n = 400'000;
  double sum = 0, squares = 0;
  int beyond = 0;
  Instant last = Instant{100ns};
  for (int i = 0; i < n; ++i) {
    const Instant at = p.next(1000_B);
    const double gap = static_cast<double>((at - last).count()) / 1e9;  // means of 1000 ns
    sum += gap;
    squares += gap * gap;
    beyond += gap > 1 ? 1 : 0;
    last = at;
  }
  EXPECT_NEAR(sum / n, 1.0, 0.006);     // 4 sigma = 4 / sqrt(n)
  EXPECT_NEAR(squares / n, 2.0, 0.03);  // 4 sqrt(20 / n)
  EXPECT_NEAR(static_cast<double>(beyond) / n, 0.367879, 0.0031);
}

TEST(ArrivalProcess, TheSameSeedGivesTheSameInstants) {
  auto a = process(Arrival::poisson), b = process(Arrival::poisson);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(777_B), b.next(777_B));
}

}  // namespace
}  // namespace peerpath::transport
