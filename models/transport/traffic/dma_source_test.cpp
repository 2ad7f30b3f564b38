#include "transport/traffic/dma_source.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "loop/loop.hpp"

namespace peerpath::transport {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr fabric::NodeId card{1}, memory{2};

/// Two endpoints at a router of 100 ns, links of a byte a nanosecond without link-layer bytes.
struct Bench {
  explicit Bench(DmaPattern pattern) : source{std::move(pattern), Random{1, "dma"}} {
    const auto router = topology.add_router("switch", {.latency = 100ns});
    const fabric::LinkDirection link{.rate = 8_Gbps, .framing = 0_B};
    topology.connect(router, topology.add_endpoint("card", {.max_payload = 256_B, .max_read_request = 512_B}), link,
                     link);
    topology.connect(router, topology.add_endpoint("memory", {.max_completion = 256_B, .read_latency = 50ns}), link,
                     link);
    source.watch([this](Instant offered, Instant, const fabric::Delivery& d) {
      addresses.push_back(d.address);
      offers.push_back(offered);
      ends.push_back(d.done);
    });
  }
  void run(Instant end) {
    loop.emplace(topology, fabric::Mode::event);
    loop->add(source, {.node = card, .channels = 1, .hears_arrivals = true});
    loop->run_until(end);
  }
  DmaSource source;
  fabric::Topology topology;
  std::optional<loop::Loop> loop;
  std::vector<std::uint64_t> addresses;
  std::vector<Instant> offers, ends;
};

TEST(DmaSource, WritesAreDoneWhenTheyHaveArrived) {
  Bench bench{{.target = memory, .sizes = {100_B}, .outstanding = 1, .count = 3}};
  bench.run(Instant{10us});
  // 12 + 100 B on the second link, cut-through after 100 ns; the next one starts when this one has arrived.
  // The third one crosses address 256, so it is two TLPs: 12 B more.
  EXPECT_EQ(bench.ends, (std::vector<Instant>{Instant{212ns}, Instant{424ns}, Instant{648ns}}));
  EXPECT_EQ(bench.offers[1], Instant{212ns});
  EXPECT_EQ(bench.source.counters().bytes, 300_B);
  EXPECT_EQ(bench.source.counters().latency, Duration{3 * 212ns + 12ns});
}

TEST(DmaSource, ReadsAreDoneWithTheirLastCompletion) {
  Bench bench{{.op = pcie::Operation::memory_read, .target = memory, .sizes = {200_B}, .outstanding = 1, .count = 2}};
  bench.run(Instant{10us});
  // Request of 12 B to the memory, 50 ns, completion of 212 B back; the second one crosses address 256.
  EXPECT_EQ(bench.ends, (std::vector<Instant>{Instant{474ns}, Instant{960ns}}));
}

// Of 1024 draws from 256 places, (1 - 1/256)^1024 = 1.8 % of the places are missed: 4.7, deviation 2.1.
TEST(DmaSource, RandomAddressesTakeEveryPlaceAlike) {
  Bench bench{{.target = memory, .address = 0x10000, .window = 16_KiB, .random = true, .sizes = {60_B}, .count = 1024}};
  bench.run(Instant{1ms});
  ASSERT_EQ(bench.addresses.size(), 1024u);
  std::set<std::uint64_t> seen;
  for (const auto address : bench.addresses) {
    EXPECT_EQ(address % 64, 0u);
    EXPECT_GE(address, 0x10000u);
    EXPECT_LE(address + 60, 0x10000u + 16384u);
    seen.insert(address);
  }
  EXPECT_NEAR(static_cast<double>(seen.size()), 256 - 4.7, 9);
}

TEST(DmaSource, AReactionAndTheQueueInsideTheDeviceComeBeforeTheNextOne) {
  Bench bench{{.op = pcie::Operation::memory_read,
               .target = memory,
               .sizes = {200_B},
               .outstanding = 1,
               .reaction = 300ns,
               .queueing = 7ns,
               .count = 2}};
  bench.run(Instant{10us});
  EXPECT_EQ(bench.offers[1], Instant{474ns + 307ns});
  EXPECT_EQ(bench.source.counters().last, Instant{474ns + 307ns + 486ns + 307ns});
}

TEST(DmaSource, OffersItsRateAndCountsTheWaitingOfWhatFindsNoRoom) {
  Bench bench{{.target = memory, .sizes = {100_B}, .rate = BitRate{8'000'000'000}, .outstanding = 1, .count = 3}};
  bench.run(Instant{10us});
  EXPECT_EQ(bench.offers, (std::vector<Instant>{Instant{0ns}, Instant{100ns}, Instant{200ns}}));
  EXPECT_EQ(bench.ends, (std::vector<Instant>{Instant{212ns}, Instant{424ns}, Instant{648ns}}));
  Bench slow{{.target = memory, .sizes = {100_B}, .rate = BitRate{800'000'000}, .outstanding = 4, .count = 3}};
  slow.run(Instant{10us});
  EXPECT_EQ(slow.ends, (std::vector<Instant>{Instant{212ns}, Instant{1212ns}, Instant{2224ns}}));
}

TEST(DmaSource, TakesSizesAndPartsOfTheWindowInTurn) {
  Bench bench{
      {.target = memory, .address = 0x1000, .window = 1000_B, .flows = 2, .sizes = {200_B, 300_B, 100_B}, .count = 8}};
  bench.run(Instant{100us});
  // Parts of 500 B at 0x1000 and 0x11f4; flow 0 gets 200, 100, 300, 200; flow 1 gets 300, 200, 100, 300.
  EXPECT_EQ(bench.addresses,
            (std::vector<std::uint64_t>{0x1000, 0x11f4, 0x10c8, 0x1320, 0x1000, 0x11f4, 0x112c, 0x1258}));
}

TEST(DmaSource, IsLimitedByTheLinkWithEnoughInFlight) {
  Bench bench{{.target = memory, .sizes = {4096_B}, .outstanding = 8, .count = 100}};
  bench.run(Instant{1ms});
  EXPECT_EQ(bench.source.counters().done, 100);
  const auto& ends = bench.ends;
  EXPECT_EQ(ends[99] - ends[49], 50 * (16 * (256_B + 12_B) / 8_Gbps));
}

TEST(DmaSource, MemoryThatIsNotMappedIsRemappedPieceByPiece) {
  device::GpuConfig board;
  board.bar_size = 256_KiB;
  board.bar1 = {
      .page = 64_KiB, .reserved = 64_KiB, .piece = 64_KiB, .map_call = 3us, .map_page = 1us, .unmap_call = 1us};
  gpu::Bar1 window{board};
  ASSERT_EQ(window.map(64_KiB), 0_B);
  ASSERT_EQ(window.map(128_KiB), 64_KiB);
  gpu::Bar1Pieces pieces{window, 64_KiB, 256_KiB, 64_KiB, 128_KiB};
  Bench bench{{.target = memory,
               .address = 1 << 30,
               .window = 256_KiB,
               .sizes = {48_KiB},
               .outstanding = 3,
               .count = 5,
               .pieces = &pieces}};
  bench.run(Instant{10ms});
  // 48 KiB stay within a piece of 64 KiB: places 0, 64, 128 and 192 KiB of the buffer, and 0 again. At the start pieces
  // 2 and 3 are in the window, at 64 and 128 KiB of it; 0 and 1 take their places, then 2 that of 0, and so on.
  const std::uint64_t low = (1 << 30) + (64 << 10), high = low + (64 << 10);
  EXPECT_EQ(bench.addresses, (std::vector<std::uint64_t>{low, high, low, high, low}));
  EXPECT_EQ(window.counters().remaps, 5);
  // The first waits for its piece, 5 us; 12 B for each of its 192 TLPs of 256 B.
  EXPECT_EQ(bench.ends[0], Instant{5us + 100ns + 192 * 268ns});
  // The third can have a place only when the first is done.
  EXPECT_GE(bench.ends[2], bench.ends[0] + 5us + 192 * 268ns);
}

}  // namespace
}  // namespace peerpath::transport
