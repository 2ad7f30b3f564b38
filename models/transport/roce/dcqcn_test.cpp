#include "transport/roce/dcqcn.hpp"

#include <gtest/gtest.h>

namespace peerpath::roce {
namespace {

using namespace std::chrono_literals;

constexpr BitRate line{25'000'000'000};

TEST(Dcqcn, TheFirstNotificationHalvesTheRate) {
  DcqcnRate rate{parameters(DcqcnSet::vendor, line), line};
  EXPECT_EQ(rate.at(Instant{1ms}), line);
  rate.notify(Instant{1ms});
  EXPECT_EQ(rate.at(Instant{1ms}).bps(), line.bps() / 2);
}

TEST(Dcqcn, CutsAreAPeriodApart) {
  DcqcnRate rate{parameters(DcqcnSet::vendor, line), line};
  for (int i = 0; i < 4; ++i) rate.notify(Instant{1ms + i * 1us});
  EXPECT_EQ(rate.at(Instant{1ms + 3us}).bps(), line.bps() / 2);
  // The one that waited comes 4 us after the first, with an alpha that is still close to 1.
  EXPECT_NEAR(static_cast<double>(rate.at(Instant{1ms + 4us}).bps()), 25e9 / 4, 25e9 / 4 * 0.02);
}

TEST(Dcqcn, FastRecoveryClosesHalfTheGapThenTheTargetGrows) {
  const auto p = parameters(DcqcnSet::vendor, line);
  EXPECT_EQ(p.additive.bps(), 5'000'000);
  EXPECT_EQ(p.hyper.bps(), 50'000'000);
  DcqcnRate rate{p, line};
  rate.notify(Instant{});
  EXPECT_EQ(rate.at(Instant{299us}).bps(), 12'500'000'000);
  EXPECT_EQ(rate.at(Instant{300us}).bps(), 18'750'000'000);
  EXPECT_EQ(rate.at(Instant{600us}).bps(), 21'875'000'000);
  EXPECT_EQ(rate.at(Instant{100ms}), line);
}

TEST(Dcqcn, TheTargetIsLoweredAfterAnIncreaseAlone) {
  DcqcnRate rate{parameters(DcqcnSet::vendor, line), line};
  for (int i = 0; i < 5; ++i) rate.notify(Instant{i * 4us});
  const auto low = rate.at(Instant{20us}).bps();
  EXPECT_LT(low, line.bps() / 20);
  EXPECT_NEAR(static_cast<double>(rate.at(Instant{16us + 300us}).bps()), static_cast<double>(line.bps() + low) / 2, 1e6)
      << "half of the way back to what it was before the first cut";
  const auto before = rate.at(Instant{400us}).bps();
  rate.notify(Instant{400us});
  const auto cut = rate.at(Instant{400us}).bps();
  EXPECT_NEAR(static_cast<double>(rate.at(Instant{700us}).bps()), static_cast<double>(before + cut) / 2, 1e6);
}

TEST(Dcqcn, AlphaDecaysByGWhenNothingIsHeard) {
  DcqcnRate rate{parameters(DcqcnSet::original, line), line};
  rate.notify(Instant{});
  rate.at(Instant{50us});  // one update with a notification, which leaves alpha at 1
  EXPECT_EQ(rate.alpha_q32(), std::int64_t{1} << 32);
  rate.at(Instant{100us});
  EXPECT_EQ(rate.alpha_q32(), (std::int64_t{1} << 32) - (std::int64_t{1} << 24));
}

TEST(Dcqcn, AfterALongSilenceNotificationsSlowItDownAgain) {
  DcqcnRate rate{parameters(DcqcnSet::vendor, line), line};
  rate.notify(Instant{});
  const auto later = Instant{30ms};
  const auto before = rate.at(later);
  for (int i = 0; i < 250; ++i) rate.notify(later + i * 4us);
  // Alpha settles at the quarter of its updates that hear one; a cut every 4 us of a growing part of the rate.
  EXPECT_LT(rate.at(later + 1ms).bps(), before.bps() / 100);
}

TEST(Dcqcn, OffKeepsTheLineRate) {
  DcqcnRate rate{parameters(DcqcnSet::off, line), line};
  rate.notify(Instant{});
  EXPECT_EQ(rate.at(Instant{1us}), line);
}

TEST(CongestionNotifier, SpeaksOnceAPeriod) {
  CongestionNotifier notifier;
  int said = 0;
  for (int i = 0; i < 100; ++i) said += notifier.marked(Instant{i * 1us}, 50us) ? 1 : 0;
  EXPECT_EQ(said, 2);
}

}  // namespace
}  // namespace peerpath::roce
