// Replays of a saturated link against the closed form.
#include <gtest/gtest.h>

#include "analytic/replay.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {
namespace {

using namespace literals;
using namespace std::chrono_literals;

struct Ignore : DeliverySink {
  Instant last{};
  void deliver(const Delivery& d) override { last = d.done; }
};

struct Sent {
  std::int64_t replays = 0;
  Duration taken{};
};

constexpr BitRate gen5_x16{504'123'076'923};
constexpr Duration recovery = 120ns;
constexpr std::int64_t tlp_bytes = 256 + 16 + 8;

/// `tlps` of 256 B over one link into a switch.
Sent saturate(std::int64_t bits_per_error, std::int64_t tlps, bool strike = false) {
  Topology t;
  Ignore sink;
  t.seed = 7;
  const auto sw = t.add_router("switch", {100ns});
  Endpoint e;
  e.channels = 1;
  LinkDirection line{.rate = gen5_x16, .propagation = 10ns};
  line.bits_per_error = bits_per_error;
  line.replay_delay = recovery;
  LinkDirection clean = line;
  clean.bits_per_error = 0;
  const auto a = t.add_endpoint("a", e), b = t.add_endpoint("b", e);
  t.connect(a, sw, line, clean);
  t.connect(sw, b, clean, clean);
  const auto fabric = make_fabric(t, sink);
  if (strike) fabric->strike(LinkId{0}, 0);
  constexpr std::int64_t piece = 1 << 20;
  for (std::int64_t left = tlps; left > 0; left -= piece)
    fabric->submit(a, ChannelIndex{1},
                   {.target = b, .address = 1ull << 40, .bytes = Bytes{256 * std::min(left, piece)}});
  fabric->advance(Instant{1h});
  return {fabric->counters(LinkId{0}, 0).replays, sink.last - Instant{}};
}

class ReplayRate : public testing::TestWithParam<std::int64_t> {};

TEST_P(ReplayRate, IsThatOfTheClosedForm) {
  const std::int64_t bits_per_error = GetParam();
  const double per_tlp = analytic::replays_per_tlp(8.0 * tlp_bytes, static_cast<double>(bits_per_error));
  const auto tlps = static_cast<std::int64_t>(20'000 / per_tlp);
  const Sent clean = saturate(0, tlps), sent = saturate(bits_per_error, tlps);
  EXPECT_GE(sent.replays, 10'000);
  EXPECT_NEAR(static_cast<double>(sent.replays), 20'000, 400);
  const double share = static_cast<double>(clean.taken.count()) / static_cast<double>(sent.taken.count());
  const double serialisation = static_cast<double>((Bytes{tlp_bytes} / gen5_x16).count());
  const double expected = analytic::goodput_share(per_tlp, serialisation, static_cast<double>(recovery.count()));
  EXPECT_NEAR(share, expected, 0.02 * expected);
  EXPECT_NEAR(1 - share, 1 - expected, 0.02 * (1 - expected));
}

INSTANTIATE_TEST_SUITE_P(MeanDistance, ReplayRate, testing::Values(1'000'000, 10'000'000, 100'000'000),
                         [](const auto& info) { return "of_" + std::to_string(info.param) + "_bits"; });

TEST(Replay, AtARateOfOneIn1e12GoodputIsUnchangedAndAScheduledErrorReplays) {
  constexpr std::int64_t tlps = 1 << 20;
  const Sent clean = saturate(0, tlps), rare = saturate(1'000'000'000'000, tlps);
  EXPECT_EQ(rare.replays, 0);
  EXPECT_EQ(rare.taken, clean.taken);
  const Sent struck = saturate(1'000'000'000'000, tlps, true);
  EXPECT_EQ(struck.replays, 1);
  EXPECT_EQ(struck.taken, clean.taken + Bytes{tlp_bytes} / gen5_x16 + recovery);
}

}  // namespace
}  // namespace peerpath::fabric
