#include "core/host/iommu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/host/test_time.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::host {
namespace {

using namespace std::chrono_literals;
using device::IommuConfig;
using device::PageSize;

constexpr IommuConfig crowded_by(device::Replacement replacement) {
  return {.entries = 4,
          .ways = 2,
          .replacement = replacement,
          .walk_latency = 300ns,
          .hit_latency = 20ns,
          .flush_interval = 10us};
}
/// With fewer entries than the accesses have pages, and flushes among them; by each replacement.
constexpr std::array crowded{crowded_by(device::Replacement::lru), crowded_by(device::Replacement::fifo),
                             crowded_by(device::Replacement::random)};

void expect_same(const IommuCounters& found, const IommuCounters& wanted) {
  EXPECT_EQ(found.hits, wanted.hits);
  EXPECT_EQ(found.misses, wanted.misses);
  EXPECT_EQ(found.flushes, wanted.flushes);
  EXPECT_EQ(found.waiting, wanted.waiting);
}

TEST(Iommu, AMissCostsOneWalkAndAHitNothing) {
  Iommu iommu{{.walk_latency = 300ns}};
  EXPECT_EQ(iommu.translate(0x1000, at(0ns)), at(300ns));
  EXPECT_EQ(iommu.translate(0x1fff, at(400ns)), at(400ns));
  EXPECT_EQ(iommu.translate(0x2000, at(400ns)), at(700ns));
  EXPECT_EQ(iommu.counters().hits, 1);
  EXPECT_EQ(iommu.counters().misses, 2);
  EXPECT_EQ(iommu.walking_until(at(1us)), Duration{600ns});
  EXPECT_EQ(iommu.walking_until(at(500ns)), Duration{400ns}) << "the second one is still walking";
  EXPECT_EQ(iommu.counters().waiting, Duration{600ns});
}

TEST(Iommu, APageWhoseWalkIsUnderWayIsWalkedOnce) {
  Iommu iommu{{.walk_latency = 300ns}};
  EXPECT_EQ(iommu.translate(0x1000, at(0ns)), at(300ns));
  EXPECT_EQ(iommu.translate(0x1040, at(100ns)), at(300ns));
  EXPECT_EQ(iommu.counters().misses, 1);
}

TEST(Iommu, WalksBeyondTheWalkersWait) {
  Iommu iommu{{.walkers = 2, .walk_latency = 300ns}};
  EXPECT_EQ(iommu.translate(0x1000, at(0ns)), at(300ns));
  EXPECT_EQ(iommu.translate(0x2000, at(100ns)), at(400ns));
  EXPECT_EQ(iommu.translate(0x3000, at(110ns)), at(600ns));
  EXPECT_EQ(iommu.translate(0x4000, at(120ns)), at(700ns));
}

TEST(Iommu, WalksStartAnIntervalApartOnAverageAndItVaries) {
  Iommu iommu{{.walkers = 1024, .walk_latency = 300ns}};
  iommu.set_walk_interval(50ns);
  constexpr std::uint64_t walks = 20'000;
  EXPECT_EQ(iommu.translate(0, at(0ns)), at(300ns));
  Instant last = at(300ns);
  int short_gaps = 0;
  for (std::uint64_t page = 1; page <= walks; ++page) {
    const auto done = iommu.translate(page << 12, at(0ns));
    short_gaps += done - last < 25ns;
    last = done;
  }
  EXPECT_NEAR(static_cast<double>(femtoseconds(last - at(300ns))) / 1e6 / walks, 50, 1.5);
  EXPECT_NEAR(static_cast<double>(short_gaps) / walks, 1 - 0.6065, 0.02);  // 1 - exp(-1/2)
}

TEST(Iommu, AWalkWaitsUntilDramIsRefreshed) {
  Iommu iommu{{.walk_latency = 300ns}};
  iommu.set_refresh({.interval = 1000ns, .time = 900ns, .ranks = 1});  // it ends 900 to 1000 ns after each us
  const auto translated = iommu.translate(0x1000, at(500ns));
  EXPECT_GE(translated, at(1200ns));
  EXPECT_LE(translated, at(1300ns));
  EXPECT_EQ(iommu.translate(0x1040, at(1500ns)), at(1500ns)) << "a hit reads no table";
}

TEST(Iommu, AHitTakesItsLatencyToo) {
  Iommu iommu{{.walk_latency = 300ns, .hit_latency = 20ns}};
  EXPECT_EQ(iommu.translate(0, at(0ns)), at(320ns));
  EXPECT_EQ(iommu.translate(0, at(1us)), at(1020ns));
}

TEST(Iommu, OneEntryCoversAPageOfItsSize) {
  for (const auto& [name, size] : device::enum_names(PageSize{})) {
    Iommu iommu{{.page_size = size}};
    const auto bytes = std::uint64_t{1} << static_cast<unsigned>(size);
    iommu.translate(5 * bytes, at(0ns));
    iommu.translate(6 * bytes - 1, at(1us));
    EXPECT_EQ(iommu.counters().misses, 1) << name;
    iommu.translate(6 * bytes, at(2us));
    EXPECT_EQ(iommu.counters().misses, 2) << name;
  }
}

TEST(Iommu, ForgetsWhatIsInvalidatedAndNothingElse) {
  Iommu iommu{{}};
  for (std::uint64_t page = 0; page < 4; ++page) iommu.translate(page << 12, at(0ns));
  iommu.invalidate(0x1fff, 2);  // the last byte of page 1, the first of page 2
  for (std::uint64_t page = 0; page < 4; ++page) iommu.translate(page << 12, at(1us));
  EXPECT_EQ(iommu.counters().misses, 6);
  iommu.invalidate_all();
  iommu.translate(0, at(2us));
  EXPECT_EQ(iommu.counters().misses, 7);
}

TEST(Iommu, IsFlushedAtMultiplesOfTheInterval) {
  Iommu iommu{{.flush_interval = 10us}};
  iommu.translate(0, at(1us));
  iommu.translate(0, at(9us));
  EXPECT_EQ(iommu.counters().misses, 1);
  iommu.translate(0, at(10us));
  iommu.translate(0, at(19us));
  iommu.translate(0, at(55us));
  EXPECT_EQ(iommu.counters().misses, 3);
  EXPECT_EQ(iommu.counters().flushes, 2);
}

TEST(Iommu, ARunIsTranslatedAsItsAccessesOneAfterTheOther) {
  Random random{1, "runs"};
  for (const auto& config : crowded) {
    Iommu runs{config}, singles{config};
    Instant now{};
    int joined = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t address = random.below(256) * 128;
      const auto spacing = Duration{static_cast<std::int64_t>(random.below(30)) * 1'000'000};
      for (std::int32_t left = 32; left > 0;) {
        const std::uint64_t next = address + static_cast<std::uint64_t>(32 - left) * 128;
        const auto [first, count] = runs.translate_run(next, Bytes{128}, now, spacing, left);
        ASSERT_TRUE(count > 0 && count <= left);
        for (std::int32_t k = 0; k < count; ++k)
          ASSERT_EQ(singles.translate(next + static_cast<std::uint64_t>(k) * 128, now + k * spacing),
                    first + k * spacing);
        joined += count - 1;
        left -= count;
        now += count * spacing;
      }
    }
    EXPECT_GT(joined, 10'000);
    expect_same(runs.counters(), singles.counters());
  }
}

TEST(Iommu, OfRandomPagesTheShareThatFitsHits) {
  for (const auto replacement : {device::Replacement::lru, device::Replacement::random}) {
    Iommu iommu{{.entries = 64, .ways = 4, .replacement = replacement, .walkers = 64}};
    Random random{1, "pages"};
    constexpr int accesses = 200'000;
    for (int i = 0; i < accesses; ++i) iommu.translate(random.below(256) << 12, at(i * 1us));
    EXPECT_NEAR(static_cast<double>(iommu.counters().hits) / accesses, 64.0 / 256, 0.01);
  }
}

}  // namespace
}  // namespace peerpath::host
