// Reads that repeat themselves are booked without being played: what is delivered and counted is what the reference
// says, whatever comes between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <vector>

#include "peerpath/base/random.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {
namespace {

using namespace literals;
using namespace std::chrono_literals;

struct Load {
  Bytes read_request, size;
  Duration gap;  ///< 0: as fast as tags allow
  int tags;
};

/// One endpoint that reads from another one, as a mode computes it.
struct Reads : DeliverySink {
  Topology topology;
  NodeId from, to;
  std::vector<Delivery> deliveries;
  std::unique_ptr<Fabric> fabric;

  Reads(Mode mode, const Load& load) {
    const NodeId node = topology.add_router("switch", {110ns});
    Endpoint nic, gpu;
    nic.max_read_request = load.read_request;
    nic.tags = load.tags;
    nic.channels = 2;
    gpu.read_latency = 600ns;
    gpu.read_rate = 3200_Gbps;
    from = topology.add_endpoint("nic", nic);
    to = topology.add_endpoint("gpu", gpu);
    LinkDirection line{.rate = 252_Gbps, .propagation = 10ns, .update_fc = 60ns};
    line.credits = {{{128, 2048}, {12, 64}, {0, 0}}};
    line.ack_interval = 60ns;
    line.fc_interval = 100ns;
    topology.connect(from, node, line, line);
    line.rate = 504_Gbps;
    topology.connect(node, to, line, line);
    fabric = make_fabric(topology, *this, mode);
  }
  void deliver(const Delivery& d) override { deliveries.push_back(d); }
  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> all;
    for (const std::uint16_t link : {0, 1})
      for (const int direction : {0, 1}) {
        const DirectionCounters c = fabric->counters(LinkId{link}, direction);
        all.insert(all.end(), {c.dllps, c.busy.count(), c.queueing.count(), c.credit_stall.count()});
        for (const Tally& tally : c.tallies)
          all.insert(all.end(), {tally.tlps, tally.payload.count(), tally.overhead.count()});
      }
    return all;
  }
};

void PrintTo(const Load& load, std::ostream* out) {
  *out << load.size.count() << " B by " << load.read_request.count() << " B, " << load.tags << " tags, gap "
       << load.gap.count() << " fs";
}

class SteadyReads : public ::testing::TestWithParam<Load> {};

/// Plays all modes in steps, with `disturb` between them, and expects them to be the same.
template <class Disturb>
void play(const Load& load, Duration step, Disturb&& disturb) {
  constexpr int count = 200;
  std::vector<std::unique_ptr<Reads>> all;
  for (const Mode mode : {Mode::event, Mode::tlp, Mode::train}) all.push_back(std::make_unique<Reads>(mode, load));
  Random random{1, "steady"};
  int next = 0;
  for (Instant now{}; now < Instant{60us}; now += step) {
    const int first = next;
    while (next < count && Instant{next * load.gap} < now + step && (load.gap > Duration{} || next - first < 40))
      ++next;
    const std::uint64_t chance = random.next();
    for (const auto& reads : all) {
      disturb(*reads, chance, now);
      for (int i = first; i < next; ++i)
        reads->fabric->submit(reads->from, ChannelIndex{1},
                              {.cookie = static_cast<std::uint64_t>(i),
                               .target = reads->to,
                               .op = pcie::Operation::memory_read,
                               .address = static_cast<std::uint64_t>(i % 50) * 4096,
                               .bytes = load.size,
                               .ready = std::max(now, Instant{i * load.gap})});
      reads->fabric->advance(now + step);
    }
    ASSERT_EQ(all[0]->counts(), all[1]->counts());
    ASSERT_EQ(all[0]->counts(), all[2]->counts());
  }
  std::vector<std::vector<Instant>> done;
  for (const auto& reads : all) {
    for (const std::uint16_t link : {0, 1}) reads->fabric->set_link(LinkId{link}, true);
    reads->fabric->advance(Instant{1ms});
    done.emplace_back(count);
    for (const Delivery& d : reads->deliveries)
      if (d.channel == ChannelIndex{1} && d.requester == reads->from) done.back()[d.cookie] = d.done;
    EXPECT_EQ(std::ranges::count(done.back(), Instant{}), 0);
    EXPECT_EQ(all[0]->counts(), reads->counts());
  }
  EXPECT_EQ(done[0], done[1]);
  EXPECT_EQ(done[0], done[2]);
}

TEST_P(SteadyReads, AreThoseOfTheReference) {
  for (const Duration step : {166ns, 1000ns, 10'000ns}) play(GetParam(), step, [](const Reads&, auto, auto) {});
}

TEST_P(SteadyReads, AWriteComesBetween) {
  play(GetParam(), 1000ns, [](const Reads& reads, std::uint64_t chance, Instant now) {
    if (chance % 3 == 0)
      reads.fabric->submit(reads.from, ChannelIndex{2},
                           {.target = reads.to,
                            .bytes = 512_B,
                            .ready = now + Duration{static_cast<std::int64_t>((chance >> 8) % 900'000'000)}});
  });
}

TEST_P(SteadyReads, LinksChange) {
  play(GetParam(), 1000ns, [](const Reads& reads, std::uint64_t chance, Instant) {
    const LinkId link{static_cast<std::uint16_t>(chance >> 8 & 1)};
    if (chance % 8 < 2) reads.fabric->set_link(link, chance % 8 == 1);
    if (chance % 8 == 2) reads.fabric->set_rate(link, static_cast<int>(chance >> 9 & 1), 300_Gbps);
  });
}

INSTANTIATE_TEST_SUITE_P(Loads, SteadyReads,
                         ::testing::Values(Load{512_B, 4_KiB, Duration{166'160'000}, 64},
                                           Load{4_KiB, 4_KiB, Duration{166'160'000}, 64},
                                           Load{512_B, 2_KiB, Duration{250ns}, 4}, Load{512_B, 512_B, Duration{0}, 1},
                                           Load{4_KiB, 4_KiB, Duration{0}, 3}));

}  // namespace
}  // namespace peerpath::fabric
