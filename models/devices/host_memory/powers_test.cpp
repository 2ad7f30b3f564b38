#include "devices/host_memory/powers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace peerpath::host_memory {
namespace {

TEST(Powers, AreThoseOfTheLibrary) {
  for (double x = 1; x > 1e-9; x *= 0.83) {
    EXPECT_NEAR(logarithm(x), std::log(x), 1e-9) << x;
    for (const double y : {0.0, 0.1, 1.0, 3.3, 64.0}) EXPECT_NEAR(power(x, y), std::pow(x, y), 1e-9) << x << " " << y;
  }
  for (double x = 0; x > -60; x -= 0.37) EXPECT_NEAR(exponential(x), std::exp(x), 1e-9) << x;
  EXPECT_EQ(power(0, 3), 0);
}

}  // namespace
}  // namespace peerpath::host_memory
