// Fabric::quiet_until: many short steps give the same deliveries as one long step, and none of them is late.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "peerpath/base/random.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {
namespace {

using namespace literals;
using namespace std::chrono_literals;

struct Computed : DeliverySink {
  void deliver(const Delivery& d) override {
    EXPECT_GE(d.done, quiet) << "it was to be quiet";
    all.emplace_back(d.done, d.cookie, d.kind);
  }
  std::vector<std::tuple<Instant, std::uint64_t, DeliveryKind>> sorted() {
    std::ranges::sort(all);
    return all;
  }
  std::vector<std::tuple<Instant, std::uint64_t, DeliveryKind>> all;
  Instant quiet{};
};

struct NoObserver : TlpObserver {
  void observe(const TlpRecord&) override {}
};

/// Three endpoints below a switch; the last is slow.
Topology three_below_a_switch() {
  Topology t;
  const auto sw = t.add_router("switch", {.latency = 100ns});
  Endpoint e;
  e.channels = 2;
  e.read_latency = 80ns;
  for (const char* name : {"a", "b", "c"}) {
    LinkDirection line{.rate = name[0] == 'c' ? 8_Gbps : 64_Gbps, .propagation = 3ns, .update_fc = 20ns};
    for (auto& credits : line.credits) credits = {8, 128};
    t.connect(t.add_endpoint(name, e), sw, line, line);
  }
  return t;
}

void submit_all(Fabric& fabric, std::uint64_t seed) {
  Random random{seed, "quiet"};
  std::array<Instant, 4> ready{};
  for (std::uint64_t cookie = 0; cookie < 60; ++cookie) {
    const auto from = static_cast<std::uint16_t>(1 + random.below(3));
    Transaction t;
    t.cookie = cookie;
    t.target = NodeId{static_cast<std::uint16_t>(1 + (from + random.below(2)) % 3)};
    t.op = random.below(2) == 0 ? pcie::Operation::memory_read : pcie::Operation::memory_write;
    t.tell_sent = t.op == pcie::Operation::memory_write;
    t.address = random.below(1 << 20);
    t.bytes = Bytes{static_cast<std::int64_t>(1 + random.below(6000))};
    t.ready = ready[from] += std::chrono::nanoseconds{static_cast<std::int64_t>(random.below(900))};
    fabric.submit(NodeId{from}, ChannelIndex{static_cast<std::uint16_t>(1 + random.below(2))}, t);
  }
}

class Quiet : public testing::TestWithParam<std::tuple<Mode, bool>> {};

TEST_P(Quiet, StepsThatFollowItSeeEveryDeliveryBeforeItIsDone) {
  const auto [mode, observed] = GetParam();
  NoObserver observer;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Computed at_once, stepwise;
    const auto topology = three_below_a_switch();
    auto one = make_fabric(topology, at_once, mode), many = make_fabric(topology, stepwise, mode);
    if (observed) one->observe(&observer), many->observe(&observer);
    EXPECT_EQ(many->quiet_until(), never);
    submit_all(*one, seed), submit_all(*many, seed);
    one->advance(Instant{1ms});
    EXPECT_EQ(one->quiet_until(), never);
    int steps = 0;
    while ((stepwise.quiet = many->quiet_until()) != never) {
      const auto before = stepwise.all.size();
      const Instant reached = many->advance(stepwise.quiet + Duration{1});
      ASSERT_EQ(reached, stepwise.quiet + Duration{1});
      for (auto i = before; i < stepwise.all.size(); ++i) ASSERT_GE(std::get<0>(stepwise.all[i]), stepwise.quiet);
      ASSERT_LT(++steps, 100'000);
    }
    EXPECT_FALSE(at_once.all.empty());
    EXPECT_EQ(at_once.sorted(), stepwise.sorted()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(EachMode, Quiet, testing::Combine(testing::Values(Mode::event, Mode::train), testing::Bool()));

}  // namespace
}  // namespace peerpath::fabric
