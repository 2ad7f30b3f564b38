#include "core/host/booked_time.hpp"

#include <gtest/gtest.h>

#include "core/host/test_time.hpp"

namespace peerpath::host {
namespace {

using namespace std::chrono_literals;

TEST(BookedTime, IsCountedAsFarAsItHasPassed) {
  BookedTime time;
  time.book(at(100ns), at(300ns), 2);
  time.book(at(200ns), at(250ns));
  EXPECT_EQ(time.until(at(100ns)), Duration{0});
  EXPECT_EQ(time.until(at(210ns)), Duration{2 * 110ns + 10ns});
  EXPECT_EQ(time.until(at(400ns)), Duration{450ns});
}

TEST(BookedTime, IsNeverMoreThanThereIsHoweverFarAheadItIsBooked) {
  BookedTime time;
  for (int i = 0; i < 10; ++i) time.book(at(i * 100ns), at((i + 1) * 100ns));
  EXPECT_EQ(time.until(at(250ns)), Duration{250ns});
  EXPECT_EQ(time.until(at(750ns)) - time.until(at(250ns)), Duration{500ns});
}

TEST(BookedTime, WhatIsForgottenIsStillInTheSum) {
  BookedTime time;
  time.book(at(0ns), at(100ns));
  time.book(at(150ns), at(250ns));
  time.forget(at(150ns));
  EXPECT_EQ(time.until(at(200ns)), Duration{150ns});
}

}  // namespace
}  // namespace peerpath::host
