#include <gtest/gtest.h>

#include "devices/nvme/cookie.hpp"
#include "devices/nvme/medium.hpp"
#include "devices/nvme/prp.hpp"
#include "devices/nvme/queue_pair.hpp"

namespace peerpath::nvme {
namespace {

using namespace literals;
using namespace std::chrono_literals;

TEST(NvmeRing, IsFullWithOneEntryFree) {
  Ring ring{4};
  EXPECT_TRUE(ring.empty());
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(ring.push(), i);
  EXPECT_TRUE(ring.full());
  EXPECT_FALSE(ring.empty());
  EXPECT_EQ(ring.used(), 3);
}

TEST(NvmeRing, WrapsAndTellsOfWhatLiesBeforeItsEnd) {
  Ring ring{4};
  for (int i = 0; i < 3; ++i) ring.push();
  ring.pop(3);
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.push(), 3U);
  EXPECT_EQ(ring.push(), 0U);
  EXPECT_EQ(ring.used(), 2);
  EXPECT_EQ(ring.contiguous(), 1) << "the last entry, and then the first one";
  ring.pop();
  EXPECT_EQ(ring.contiguous(), 1);
  EXPECT_EQ(ring.head(), 0U);
}

TEST(NvmePrp, ListsAllPagesButTheFirstFromThreeOn) {
  EXPECT_EQ(prp_list(0x10000, 4_KiB), 0_B);
  EXPECT_EQ(prp_list(0x10000, 8_KiB), 0_B);
  EXPECT_EQ(prp_list(0x10200, 8_KiB), 16_B) << "8 KiB from the middle of a page touch three";
  EXPECT_EQ(prp_list(0x10000, 128_KiB), 31 * 8_B);
}

TEST(NvmePrp, PiecesEndWithTheirPages) {
  EXPECT_EQ(piece(0x10e00, 4_KiB, 0_B), 512_B);
  EXPECT_EQ(piece(0x10e00, 4_KiB, 512_B), Bytes{3584});
  EXPECT_EQ(piece(0x10000, 8_KiB, 4_KiB), 4_KiB);
}

TEST(NvmeCookie, ComesBackAsItWas) {
  const auto cookie = Cookie::unpack(Cookie{1023, Work::interrupt, 0xfff'ffff}.pack());
  EXPECT_EQ(cookie.queue, 1023U);
  EXPECT_EQ(cookie.work, Work::interrupt);
  EXPECT_EQ(cookie.value, 0xfff'ffffU);
}

TEST(NvmeMedium, TakesTheLongerOfBytesAndCommands) {
  device::NvmeConfig config;
  config.read_rate = BitRate{8'000'000'000};
  config.read_iops = 100'000;
  config.read_latency = 50us;
  Medium medium{config};
  EXPECT_EQ(medium.take(Opcode::read, Bytes{1000}, Instant{}).at(Bytes{1000}), Instant{51us});
  EXPECT_EQ(medium.take(Opcode::read, Bytes{20'000}, Instant{}).first, Instant{60us}) << "10 us a command before it";
  EXPECT_EQ(medium.take(Opcode::read, Bytes{1000}, Instant{}).first, Instant{80us}) << "20 us for 20 kB";
  EXPECT_EQ(medium.busy_until(Instant{1ms}), 40us);
}

}  // namespace
}  // namespace peerpath::nvme
