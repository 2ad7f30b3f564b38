#include "core/devices/dma_card/engine.hpp"

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
  EXPECT_EQ(write_occupancy(config(), 128_B), 25ns);
  EXPECT_EQ(write_occupancy(config(), 129_B), 38ns);
  EXPECT_EQ(write_occupancy(config(), 513_B), 89ns);
}

TEST(Engine, AnOddReadTakesTwoLinesWorthOfBeats) {
  const Duration odd = config().read_beat / 6;  // a cycle
  EXPECT_EQ(read_occupancy(config(), 0, 64_B), 14ns);
  EXPECT_EQ(read_occupancy(config(), 0, 63_B), 24ns + odd);
  EXPECT_EQ(read_occupancy(config(), 0, 65_B), 24ns + odd);
  EXPECT_EQ(read_occupancy(config(), 0, 256_B), 44ns);
}

TEST(Engine, LongRequestsStreamAndThoseCutShortByMrrsDoNot) {
  EXPECT_EQ(read_occupancy(config(), 0, 257_B), 4ns);
  EXPECT_EQ(read_occupancy(config(), 256, 320_B), 2 * 4ns + 10 * 5ns);  // 256 up to the boundary, 64 beyond
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

TEST(Engine, AReadHoldsItsLinesAndALineAndAHalfUnlessItStreams) {
  constexpr Bytes buffer{6144};
  EXPECT_EQ(read_buffer_taken(config(), buffer, 16_B), 160_B);
  EXPECT_EQ(read_buffer_taken(config(), buffer, 129_B), 288_B);
  EXPECT_EQ(read_buffer_taken(config(), buffer, 256_B), 352_B);
  auto streaming = config();
  streaming.function.tags = 32;  // of 256 B each
  EXPECT_EQ(read_buffer_taken(streaming, buffer, 257_B), 240_B);
  EXPECT_EQ(read_buffer_taken(streaming, buffer, 512_B), 384_B);
  EXPECT_EQ(read_buffer_taken(streaming, buffer, 2048_B), 1536_B);
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
