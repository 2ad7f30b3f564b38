#include "devices/dma_card/engine.hpp"

#include <gtest/gtest.h>

namespace peerpath::dma_card {
namespace {

using namespace literals;
using namespace std::chrono_literals;

device::DmaCardConfig config() {
  device::DmaCardConfig c;
  c.command = 4ns;
  c.write_chunk = 17ns;
  c.read_beat = 5ns;
  c.function.max_payload = 256_B;
  c.function.max_read_request = 512_B;
  return c;
}

TEST(Engine, AWriteIsBusyForEachChunkAndForTheCommandsOfTheLastOne) {
  EXPECT_EQ(write_occupancy(config(), 16_B), 21ns);
  EXPECT_EQ(write_occupancy(config(), 65_B), 21ns);
  const Duration second = config().command - config().command / 3;
  EXPECT_EQ(write_occupancy(config(), 128_B), 21ns + second);
  EXPECT_EQ(write_occupancy(config(), 129_B), 38ns);
  EXPECT_EQ(write_occupancy(config(), 256_B), 38ns + second);
  EXPECT_EQ(write_occupancy(config(), 513_B), 89ns);
}

TEST(Engine, AReadTakesACommandForEachLineAndAnOddOneTwoLinesWorthOfBeats) {
  const Duration odd = config().read_beat / 6;  // a cycle
  EXPECT_EQ(read_occupancy(config(), 0, 64_B), 4ns);
  EXPECT_EQ(read_occupancy(config(), 0, 128_B), 8ns);
  EXPECT_EQ(read_occupancy(config(), 0, 256_B), 16ns);
  EXPECT_EQ(read_occupancy(config(), 0, 63_B), 24ns + odd);
  EXPECT_EQ(read_occupancy(config(), 0, 65_B), 24ns + odd);
}

TEST(Engine, LongRequestsStreamAndThoseCutShortByMrrsDoNot) {
  EXPECT_EQ(read_occupancy(config(), 0, 257_B), 4ns);
  EXPECT_EQ(read_occupancy(config(), 256, 320_B), 5 * 4ns);  // 256 up to the boundary, 64 beyond
}

TEST(Engine, AReadOfMoreThanOneLineLeavesAfterTwoLinesWorthOfBeats) {
  EXPECT_EQ(read_lead(config(), 64_B), 4ns);
  EXPECT_EQ(read_lead(config(), 65_B), 24ns);
  EXPECT_EQ(read_lead(config(), 2048_B), 24ns);
}

TEST(Engine, ReadsTakeOfTheWritesBusWhatTheFirstKibOfEachRequestHas) {
  EXPECT_EQ(read_share_of_write_bus(config(), 127_B), 0ns);
  EXPECT_EQ(read_share_of_write_bus(config(), 256_B), 10ns);
  EXPECT_EQ(read_share_of_write_bus(config(), 2048_B), 80ns);  // four requests
  auto one_request = config();
  one_request.function.max_read_request = 4096_B;
  EXPECT_EQ(read_share_of_write_bus(one_request, 1024_B), 40ns);
  EXPECT_EQ(read_share_of_write_bus(one_request, 2048_B), 40ns);
}

TEST(Engine, ReadsOfMoreThanALineAndAtMostOneMpsComeInBatches) {
  EXPECT_FALSE(comes_in_batches(config(), 64_B));
  EXPECT_TRUE(comes_in_batches(config(), 65_B));
  EXPECT_TRUE(comes_in_batches(config(), 256_B));
  EXPECT_FALSE(comes_in_batches(config(), 257_B));
  EXPECT_EQ(in_lines(65_B), 128_B);
}

TEST(Engine, IssueFloorsHold) {
  auto c = config();
  c.write_issue = 30ns;
  c.read_issue = 40ns;
  EXPECT_EQ(write_occupancy(c, 64_B), 30ns);
  EXPECT_EQ(read_occupancy(c, 0, 64_B), 40ns);
}

}  // namespace
}  // namespace peerpath::dma_card
