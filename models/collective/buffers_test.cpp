#include "collective/buffers.hpp"

#include <gtest/gtest.h>

#include "collective/server_rig.hpp"

namespace peerpath::collective {
namespace {

using namespace std::chrono_literals;
using testing::play_on_servers;

constexpr Duration way = 10us;

Duration play(const Pattern& p, const Buffers& buffers) {
  return play_on_servers(in_chunks(p, buffers), p.ranks, {}, way,
                         {.slots = buffers.slots(), .copies_on = goes_in_chunks(p)})
      .took;
}

TEST(Buffers, AreNcclsByDefault) {
  const Buffers b;
  EXPECT_EQ(b.slice(), Bytes{1 << 20});
  EXPECT_EQ(b.chunk(), Bytes{2 << 20});
  EXPECT_EQ(b.slots(), 4);
}

TEST(Buffers, ARingGoesChunkByChunkInSlices) {
  const Pattern p{.ranks = 4, .bytes = Bytes{(20 << 20) + 5}};
  const auto schedule = in_chunks(p, {});
  std::int64_t bytes = 0;
  for (std::uint32_t i = 0; i < schedule.size(); ++i) {
    bytes += schedule[i].bytes.count();
    EXPECT_LE(schedule[i].bytes.count(), (1 << 20) + 4);  // what is left over of a division
    if (schedule[i].after != Send::at_once) {
      EXPECT_LT(schedule[i].after, i);
      EXPECT_EQ(schedule[schedule[i].after].to, schedule[i].from);
    }
  }
  EXPECT_EQ(bytes, 6 * p.bytes.count());  // 2 (n - 1) / n, of 4 ranks
}

TEST(Buffers, AMessageIsSentABufferARoundTrip) {
  for (const int mib : {1, 4, 5, 16, 17}) {
    const Pattern p{.kind = Exchange::gather, .ranks = 2, .bytes = Bytes{std::int64_t{mib} << 21}};
    // The first clearance comes, four slices go, and four more when the next clearances have come.
    EXPECT_EQ(play(p, {}), way + way * (2 * ((mib + 3) / 4) - 1)) << mib;
    EXPECT_EQ(play(p, {.size = Bytes{8 << 20}, .steps = 16}), way + way * (2 * ((mib + 7) / 8) - 1)) << mib;
  }
}

TEST(Buffers, ARingOfHalfTheBufferTakesThreeWaysAStep) {
  const Pattern p{.ranks = 4, .bytes = Bytes{24 << 20}};
  // Three rounds of six steps. Two chunks of a buffer cover the way there and back. With one the sender's slots are
  // free when it has heard of what was in them; it copies into them what has come, and only then its receiver may clear
  // for the one before: three ways a step, and two to the next round, since what came last is passed on by nobody.
  EXPECT_EQ(play(p, {}), way + way * 18);
  EXPECT_EQ(play(p, {.size = Bytes{2 << 20}, .steps = 4}), way + way * (3 * 5 * 3 + 2 * 2 + 1));
  // A buffer that is too small for the rest, too, only has more rounds.
  EXPECT_EQ(play(p, {.size = Bytes{2 << 20}}), way + way * 36);
}

TEST(Buffers, NothingHangsWhateverTheBuffers) {
  for (const auto kind : {Exchange::all_reduce, Exchange::all_gather, Exchange::reduce_scatter, Exchange::all_to_all,
                          Exchange::broadcast, Exchange::reduce, Exchange::gather, Exchange::scatter})
    for (const std::uint32_t server : {1u, 2u, 4u, 6u})
      for (const auto algorithm : {Algorithm::ring, Algorithm::tree})
        for (const Buffers buffers : {Buffers{Bytes{1 << 16}, 8, 2, 4}, Buffers{Bytes{1 << 16}, 1, 1, 1},
                                      Buffers{Bytes{1 << 16}, 8, 8, 8}, Buffers{Bytes{1 << 14}, 7, 2, 5}}) {
          if (!not_played(kind, algorithm, server > 1).empty()) continue;
          const Pattern p{
              .kind = kind, .algorithm = algorithm, .ranks = 12, .bytes = Bytes{1'000'001}, .server = server};
          const auto took =
              play_on_servers(in_chunks(p, buffers), 12, {static_cast<int>(server), BitRate{1'000'000'000'000}, 1us},
                              way, {.qps = 2, .slots = buffers.slots(), .copies_on = goes_in_chunks(p)});
          EXPECT_GT(took.took, way);
        }
}

TEST(Protocols, FlagsTakeTheirShareOfTheWire) {
  const Schedule one{{0, 1, Bytes{120'000}}};
  EXPECT_EQ(with_flags(one, Protocol::simple)[0].bytes, Bytes{120'000});
  EXPECT_EQ(with_flags(one, Protocol::LL)[0].bytes, Bytes{240'000});
  EXPECT_EQ(with_flags(one, Protocol::LL128)[0].bytes, Bytes{128'000});
}

}  // namespace
}  // namespace peerpath::collective
