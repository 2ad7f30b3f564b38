#include <gtest/gtest.h>

#include "transport/host/fake_host.hpp"
#include "transport/roce/fleet_fixture.hpp"

namespace peerpath::roce {
namespace {

using namespace testing;
using namespace std::chrono_literals;

TEST(Translations, AreKeptByQueuePairAndPageUntilOthersNeedTheRoom) {
  const TranslationConfig config{.entries = 64, .page = Bytes{4096}};
  EntryCache cache{config.entries};
  const auto use = [&](std::uint32_t qp, std::uint64_t address) { return cache.use(config.entry(qp, address)); };
  EXPECT_FALSE(use(0, 0));
  EXPECT_TRUE(use(0, 4095));
  EXPECT_FALSE(use(0, 4096));
  EXPECT_FALSE(use(2, 0)) << "another queue pair";
  for (std::uint64_t page = 0; page < 1000; ++page) use(4, page << 12);
  EXPECT_FALSE(use(0, 0)) << "1000 others have been used since";
}

struct Reached {
  double gbps = 0;
  NicCounters nic{};
};

/// Messages of 4 KiB to the pages of 4 MiB in turn: 1024 pages of 4 KiB, two of 2 MiB.
Reached reached(int entries, Bytes page, HostDma* host = nullptr) {
  FleetConfig config;
  config.translations = {entries, page, 1us};
  config.dma = {nullptr, host};
  Rig rig{star(2, BitRate{100'000'000'000}), {}, config};
  std::uint64_t turn = 0;
  std::int64_t done = 0;
  const auto post = [&](QpIndex qp, Instant now) {
    rig.fleet.post(qp, {.length = 4096, .remote_address = turn++ % 1024 * 4096}, now);
  };
  rig.fleet.completed = [&](QpIndex qp, const Completion&, Instant, Instant now) {
    ++done;
    post(qp, now);
  };
  const auto qp = rig.fleet.connect(0, 1);
  for (int i = 0; i < 64; ++i) post(qp, Instant{});
  rig.network.run(Instant{2ms});
  const auto before = done;
  rig.network.run(Instant{4ms});
  EXPECT_EQ(rig.fleet.counters(1).dropped, 0);
  return {static_cast<double>((done - before) * 4096 * 8) / 2e6, rig.fleet.counters(1)};
}

TEST(Translations, EachMissIsAReadAndThePortIsPausedMeanwhile) {
  const auto all = reached(0, Bytes{4096}), kept = reached(1 << 20, Bytes{4096});
  EXPECT_NEAR(all.gbps, 98, 1);
  EXPECT_NEAR(kept.gbps, 98, 1) << "each page misses once";
  EXPECT_EQ(kept.nic.translations_missed, 1024);
  const auto missed = reached(256, Bytes{4096});
  EXPECT_NEAR(missed.gbps, 32.8, 0.3) << "one page of 4 KiB a microsecond";
  EXPECT_GT(missed.nic.pauses, 0);
  EXPECT_EQ(missed.nic.translations_missed, missed.nic.translations);
  const auto huge = reached(256, Bytes{2 << 20});
  EXPECT_NEAR(huge.gbps, 98, 1);
  EXPECT_EQ(huge.nic.translations_missed, 2);
}

TEST(Translations, MissesHoldUpWritesToAHostWhosePcieIsSimulated) {
  constexpr BitRate enough{200'000'000'000};
  for (const auto& [entries, gbps, within] : {std::tuple{1 << 20, 98.0, 1.0}, {256, 32.8, 0.3}}) {
    transport::testing::FakeHost host{enough, enough};
    const auto with = reached(entries, Bytes{4096}, &host);
    EXPECT_NEAR(with.gbps, gbps, within);
    EXPECT_GT(with.nic.pauses, 0) << "each page misses once at least";
    EXPECT_EQ(with.nic.translations_missed, entries == 256 ? with.nic.translations : 1024);
  }
}

}  // namespace
}  // namespace peerpath::roce
