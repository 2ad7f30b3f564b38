// Random cases, each played against the event-driven reference and a computed fabric: nothing may differ, not by 1 fs.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/differential/driver.hpp"
#include "fabric/reference/event_reference.hpp"
#include "fabric/vocabulary/wiring.hpp"
#include "peerpath/base/fail.hpp"

namespace peerpath::fabric::differential {
namespace {

constexpr std::uint64_t cases_per_part = 50;

Make mode(Mode m) {
  return [m](const Topology& t, DeliverySink& s) { return make_fabric(t, s, m); };
}

Make flawed(Flaw flaw) {
  return [flaw](const Topology& t, DeliverySink& s) { return std::make_unique<EventReference>(t, s, flaw); };
}

struct Part {
  Mode mode;
  std::uint64_t first;
};

class Differential : public testing::TestWithParam<Part> {};

TEST_P(Differential, AgreesWithTheReference) {
  for (std::uint64_t seed = GetParam().first; seed < GetParam().first + cases_per_part; ++seed)
    ASSERT_EQ(compare(generate(seed), mode(Mode::event), mode(GetParam().mode)), "");
}

std::vector<Part> parts() {
  std::vector<Part> all;
  for (std::uint64_t first = 1; first <= 2000; first += cases_per_part) all.push_back({Mode::train, first});
  return all;
}

INSTANTIATE_TEST_SUITE_P(RandomCases, Differential, testing::ValuesIn(parts()), [](const auto& info) {
  return std::string(name_of(info.param.mode)) + "_from_seed_" + std::to_string(info.param.first);
});

TEST(DifferentialReference, EveryCaseIsATopologyThatIsAccepted) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const auto wrong = validate(generate(seed).topology);
    ASSERT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong.front();
  }
}

TEST(DifferentialReference, TheQuantumNeverChangesAResult) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Scenario scenario = generate(seed);
    const Outcome once = play(scenario, mode(Mode::event));
    for (const std::int64_t ns : {3, 100, 1000, 10'000}) {
      scenario.quantum = Duration{ns * 1'000'000};
      ASSERT_EQ(difference(once, play(scenario, mode(Mode::event))), "")
          << "seed " << seed << ", quantum " << ns << " ns";
    }
  }
}

TEST(DifferentialReference, SomeCasesEndInACircleOfWaiting) {
  int cycles = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const auto blocked = play(generate(seed), mode(Mode::train)).blocked;
    cycles += !blocked.empty() && blocked.back().rfind("in the cycle", 0) == 0 ? 1 : 0;
  }
  EXPECT_GE(cycles, 5);
}

/// The checker finds it by itself, with no other fabric to compare with.
TEST(DifferentialReference, LinesThatIdleAreFoundByWorkConservation) {
  for (const Flaw flaw : {Flaw::idles, Flaw::shared_queue}) {
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 200 && !found; ++seed)
      found = play(generate(seed), flawed(flaw), true).broken.rfind("work_conservation", 0) == 0;
    EXPECT_TRUE(found) << name_of(flaw);
  }
}

TEST(SeveralHosts, ExchangeFramesByTheirCables) {
  int cabled = 0, crossed = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Scenario s = generate(seed);
    if (!s.is_cabled()) continue;
    ++cabled;
    const auto& cable = *std::ranges::find(s.exchanges, Exchange::Kind::cable, &Exchange::kind);
    const auto outcome = play(s, mode(Mode::train));
    crossed += std::ranges::any_of(outcome.deliveries, [&](const Delivery& d) {
      return d.requester == cable.c.node && d.target == cable.d.node && d.channel == cable.c.channel;
    });
  }
  EXPECT_GE(cabled, 5);
  EXPECT_GE(crossed * 10, cabled * 9) << "but for those whose links are down or which are stuck";
}

/// What happens in one tree is the same whatever happens in the other.
TEST(SeveralHosts, DoNotKnowOfEachOtherWithoutACable) {
  int cases = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Scenario both = generate(seed);
    if (both.shape != Shape::hosts || !both.exchanges.empty()) continue;
    const auto& nodes = both.topology.nodes;
    if (std::ranges::any_of(nodes, [](const Node& n) { return n.endpoint.external; })) continue;
    const Wiring wiring{both.topology};
    Scenario alone = both;
    std::erase_if(alone.planned, [&](const Planned& p) { return !wiring.connected(p.requester, NodeId{}); });
    if (alone.planned.size() == both.planned.size()) continue;
    ++cases;
    const auto first_tree = [&](const Scenario& scenario) {
      Outcome seen;
      const auto counters = play(scenario, mode(Mode::train)).counters;
      for (std::size_t l = 0; l < both.topology.links.size(); ++l)
        if (wiring.connected(both.topology.links[l].a, NodeId{}))
          seen.counters.insert(seen.counters.end(), {counters[2 * l], counters[2 * l + 1]});
      return seen;
    };
    ASSERT_EQ(difference(first_tree(alone), first_tree(both)), "") << "seed " << seed;
  }
  EXPECT_GE(cases, 5);
}

class PlantedFlaw : public testing::TestWithParam<Flaw> {};

TEST_P(PlantedFlaw, IsFoundWithin500Cases) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Scenario scenario = generate(seed);
    if (!difference(play(scenario, mode(Mode::event)), play(scenario, flawed(GetParam()))).empty()) {
      RecordProperty("seed", std::to_string(seed));
      return;
    }
  }
  FAIL() << "500 cases did not show it";
}

INSTANTIATE_TEST_SUITE_P(EachOne, PlantedFlaw,
                         testing::Values(Flaw::round_robin, Flaw::credits, Flaw::ordering, Flaw::routes, Flaw::replay,
                                         Flaw::weights, Flaw::channels, Flaw::spoofs, Flaw::idles, Flaw::shared_queue),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace peerpath::fabric::differential
