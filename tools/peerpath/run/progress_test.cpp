#include "tools/peerpath/run/progress.hpp"

#include <gtest/gtest.h>

namespace peerpath::cli {
namespace {

using namespace std::chrono_literals;

TEST(Progress, SaysTimeSpeedAndWhatIsLeft) {
  EXPECT_EQ(progress_text(50us, 200us, 100ms),
            "simulated 50.0 us of 200.0 us (25 %), 0.0005 x real time, 300.0 ms left");
}

TEST(Progress, BeginsWithoutSpeed) {
  EXPECT_EQ(progress_text(Duration{0}, 1ms, 0ns), "simulated 0.0 ns of 1.0 ms (0 %)");
}

}  // namespace
}  // namespace peerpath::cli
