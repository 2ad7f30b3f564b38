#include "core/host/line_credits.hpp"

#include <gtest/gtest.h>

#include "core/host/test_time.hpp"

namespace peerpath::host {
namespace {

using namespace std::chrono_literals;

TEST(LineCredits, AreTakenAtOnceWhileThereAreAny) {
  LineCredits credits{4};
  EXPECT_EQ(credits.take(3, at(10ns), 300ns), at(10ns));
  EXPECT_EQ(credits.take(1, at(20ns), 300ns), at(20ns));
  EXPECT_EQ(credits.take(1, at(30ns), 300ns), at(310ns));
  EXPECT_EQ(credits.take(3, at(30ns), 300ns), at(320ns)) << "two more come back at 310, one at 320";
  EXPECT_EQ(credits.waited(), Duration{280ns + 290ns});
  EXPECT_EQ(credits.held_until(at(1us)), Duration{8 * 300ns});
  EXPECT_EQ(credits.held_until(at(310ns)), Duration{3 * 300ns + 290ns});
}

TEST(LineCredits, KeepTheOrderInWhichTheyWereAskedFor) {
  LineCredits credits{2};
  EXPECT_EQ(credits.take(2, at(100ns), 50ns), at(100ns));
  EXPECT_EQ(credits.take(1, at(90ns), 50ns), at(150ns));
}

TEST(LineCredits, ManyMoreThanThereAreGoInRounds) {
  LineCredits credits{2};
  EXPECT_EQ(credits.take(6, at(0ns), 100ns), at(200ns));
}

}  // namespace
}  // namespace peerpath::host
