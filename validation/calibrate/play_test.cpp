#include "validation/calibrate/play.hpp"

#include <gtest/gtest.h>

#include "analytic/link_efficiency.hpp"

namespace peerpath::calibrate {
namespace {

using namespace literals;

TEST(Play, OneReadOutstandingTakesTheLatencyAndItsTimeOnTheLine) {
  const Path path{.read_latency = 1000};
  EXPECT_NEAR(read_step(path, 128_B, 1), 1000 + 24 / 63.0 + 148 / 63.0, 1);
}

TEST(Play, ManyReadsOutstandingTakeTheRateOfTheLink) {
  const Path path{.update_interval = 1e6, .read_latency = 1000};
  // Completions of 128 B cost 148 B, and the ACK of each request 8 B.
  EXPECT_NEAR(read_step(path, 128_B, 4096) / 4096, 156 / 63.02 / (1 - 4.0 / 1538), 0.01);
}

TEST(Play, ACompletionAloneTakesItsBytes) {
  EXPECT_NEAR(completion_time({}, 128_B), 148 / 63.02 / (1 - 4.0 / 1538), 0.01);
}

// Requests that come in a row cause fewer UpdateFCs than the same ones far apart, where one each is sent.
TEST(Play, ReadsOfAPageAreCutIntoRequests) {
  const Path whole{.update_interval = 1e6, .read_latency = 1000},
      cut{.update_interval = 1e6, .read_latency = 1000, .max_read_request = 256_B};
  EXPECT_NEAR(read_step(cut, 4096_B, 24) / (24 * 4096), read_step(whole, 256_B, 384) / (384 * 256), 0.0003);
  const Path often{.update_interval = 2, .read_latency = 1000, .max_read_request = 256_B};
  EXPECT_LT(read_step(often, 4096_B, 24) / (24 * 4096), 0.99 * read_step(often, 256_B, 384) / (384 * 256));
}

TEST(Play, ReadsNeverExceedWhatIsOutstandingByLatency) {
  const Path path{.read_latency = 1000};
  for (const int outstanding : {1, 8, 64, 256}) EXPECT_GE(read_step(path, 64_B, outstanding), 1000);
}

TEST(Play, WritesAgreeWithTheClosedForm) {
  const Path path{.read_latency = 1000};
  const auto closed = analytic::write_rate({{5, 16}, 256_B, 512_B});
  EXPECT_NEAR(8 * 256 / write_interval(path, 256_B), static_cast<double>(closed.bps()) / 1e9, 0.5);
}

TEST(Play, ASlowMemoryLimitsWrites) {
  const Path path{.read_latency = 1000, .write_service = 5};
  EXPECT_NEAR(write_interval(path, 32_B), 5, 0.05);
}

TEST(Play, SmallerPayloadsCarryLess) {
  const Path large{.read_latency = 1000}, small{.max_payload = 128_B, .read_latency = 1000};
  EXPECT_GT(write_interval(small, 256_B), 1.05 * write_interval(large, 256_B));
  EXPECT_GT(read_step(small, 256_B, 600), 1.05 * read_step(large, 256_B, 600));
}

TEST(Play, BothWaysSlowEachOther) {
  const Path path{.read_latency = 1000};
  const auto both = both_intervals(path, 256_B, 256_B);
  EXPECT_GT(both.write, write_interval(path, 256_B));
  EXPECT_GT(both.read, read_step(path, 256_B, 2048) / 2048);
}

// As a machine with H200s is calibrated: of 1500 writes the second two thirds are 2 % slow.
TEST(Play, BothWaysCountOnceTheyHaveSettled) {
  const Path path{
      .link_share = 0.964, .update_interval = 10, .read_latency = 1275, .read_service = 0.1, .max_read_request = 512_B};
  const auto both = both_intervals(path, 4096_B, 256_B),
             longer = both_intervals(path, 4096_B, 256_B, 5 * beside_fast_reads);
  EXPECT_NEAR(both.write, longer.write, 0.002 * longer.write);
  EXPECT_NEAR(both.read, longer.read, 0.002 * longer.read);
}

// As two H100s are calibrated: what no cache holds is read at 38 GB/s, and of 2400 writes the second half is 2 % slow.
TEST(Play, BothWaysBesideSlowReadsSettleLater) {
  const Path path{.link_share = 0.98,
                  .update_interval = 100,
                  .read_latency = 1255,
                  .read_service = 256 / 38.14,
                  .max_read_request = 256_B};
  const auto counted = both_intervals(path, 4096_B, 256_B, beside_slow_reads);
  const auto longer = both_intervals(path, 4096_B, 256_B, 4 * beside_slow_reads);
  EXPECT_NEAR(counted.write, longer.write, 0.002 * longer.write);
  EXPECT_NEAR(counted.read, longer.read, 0.002 * longer.read);
}

}  // namespace
}  // namespace peerpath::calibrate
