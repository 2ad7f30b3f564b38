// Requests with a requester ID that nobody has, in every mode, at times computed by hand: a read request takes 12 ns,
// 64 B of data at address 0 take 76 ns; a link 10 ns more, the switch 100 ns, the root complex 200 ns.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fabric/test_pair.hpp"
#include "fabric/vocabulary/acs_routes.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;
namespace acs = pcie::acs;

constexpr int to_root = 3, switch_trap = 5, root_trap = 6;

/// a, b and c below a switch (links 0 to 2), which is at the root complex (link 3) beside memory (link 4); both routers
/// have an endpoint for what they stop.
class Spoofs : public testing::TestWithParam<Mode> {
 protected:
  Spoofs() {
    Topology& t = pair_.t;
    acs_.roots[0].root = t.add_router("root", {200ns});
    t.connect(acs_.roots[0].root, pair_.node, line(), line());
    dram_ = t.add_endpoint("dram", pair_.endpoint(pair_.a));
    acs_.roots[0].memory = t.connect(acs_.roots[0].root, dram_, line(), line());
    acs_.traps[pair_.node].violation = trap(pair_.node, Status::completer_abort);
    acs_.traps[acs_.roots[0].root].unsupported = trap(acs_.roots[0].root, Status::unsupported_request);
    acs_.spoofing = true;
    t.strays = true;
  }
  LinkId trap(NodeId router, Status answer) {
    Endpoint e = pair_.endpoint(pair_.a);
    e.misdirected = answer;
    return pair_.t.connect(router, pair_.t.add_endpoint("errors", e), line(), line());
  }
  void validate_sources_at(int link) {
    acs_.ports[LinkId{static_cast<std::uint16_t>(link)}] = {.control = acs::source_validation};
  }
  void play(Transaction transaction, bool spoofed = true) {
    EXPECT_TRUE(validate(pair_.t).empty());
    fabric_ = make_fabric(pair_.t, pair_, GetParam());
    fabric_->observe(&pair_);
    for (const Route& route : acs_routes(pair_.t, acs_)) fabric_->set_route(route);
    transaction.spoofed = spoofed;
    fabric_->submit(pair_.a, own, transaction);
    while (fabric_->advance(at(1ms)) < at(1ms)) {}
    ASSERT_EQ(pair_.deliveries.size(), 1U);
    EXPECT_EQ(pair_.deliveries[0].spoofed, spoofed);
  }
  Transaction to_memory() {
    Transaction t = pair_.write(64_B);
    t.target = dram_;
    return t;
  }
  Status status() const { return pair_.deliveries.at(0).status; }

  Pair pair_;
  NodeId dram_;
  AcsHierarchy acs_;
  std::unique_ptr<Fabric> fabric_;
};

TEST_P(Spoofs, AWriteArrivesWhereNobodyValidatesSources) {
  play(pair_.write(64_B));
  EXPECT_EQ(pair_.starts(1, 1), Times{110});
  EXPECT_EQ(pair_.done(), Times{110 + 76 + 10});
  EXPECT_EQ(status(), Status::success);
}

TEST_P(Spoofs, AWriteIsBlockedAtThePortThatValidatesSources) {
  validate_sources_at(0);
  play(pair_.write(64_B));
  EXPECT_EQ(pair_.starts(switch_trap, 0), Times{110});
  EXPECT_TRUE(pair_.starts(1, 1).empty());
  EXPECT_EQ(pair_.done(), Times{110 + 76 + 10});
  EXPECT_EQ(status(), Status::completer_abort);
}

TEST_P(Spoofs, AWriteWithATranslatedAddressIsBlockedToo) {
  validate_sources_at(0);
  Transaction translated = pair_.write(64_B);
  translated.translated = true;
  play(translated);
  EXPECT_EQ(pair_.starts(switch_trap, 0), Times{110});
}

TEST_P(Spoofs, AWriteUnderItsOwnIdPassesThePortThatValidatesSources) {
  validate_sources_at(0);
  play(pair_.write(64_B), false);
  EXPECT_EQ(pair_.starts(1, 1), Times{110});
  EXPECT_EQ(status(), Status::success);
}

TEST_P(Spoofs, AnotherPortsValidationDoesNotMeetIt) {
  validate_sources_at(1);
  validate_sources_at(to_root);
  play(pair_.write(64_B));
  EXPECT_EQ(pair_.starts(1, 1), Times{110});
  EXPECT_EQ(status(), Status::success);
}

TEST_P(Spoofs, AWriteToMemoryPassesARootComplexWithoutIommu) {
  play(to_memory());
  EXPECT_EQ(pair_.starts(4, 0), Times{110 + 10 + 200});
  EXPECT_EQ(status(), Status::success);
}

TEST_P(Spoofs, AnIommuRefusesAWriteToMemory) {
  acs_.roots[0].iommu = true;
  play(to_memory());
  EXPECT_EQ(pair_.starts(to_root, 1), Times{110});
  EXPECT_EQ(pair_.starts(root_trap, 0), Times{110 + 10 + 200});
  EXPECT_TRUE(pair_.starts(4, 0).empty());
  EXPECT_EQ(pair_.done(), Times{320 + 76 + 10});
  EXPECT_EQ(status(), Status::unsupported_request);
}

TEST_P(Spoofs, AReadThatIsBlockedTimesOut) {
  validate_sources_at(0);
  Transaction read = pair_.read(64_B);
  read.answer = Status::no_answer;
  play(read);
  EXPECT_EQ(pair_.starts(switch_trap, 0), Times{110});
  EXPECT_TRUE(pair_.starts(switch_trap, 1).empty());
  EXPECT_TRUE(pair_.starts(1, 1).empty());
  EXPECT_EQ(pair_.done(), Times{0 + 5000});
  EXPECT_EQ(status(), Status::no_answer);
}

INSTANTIATE_TEST_SUITE_P(EveryMode, Spoofs, testing::Values(Mode::event, Mode::train),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Where nobody spoofs, nothing that ACS says of these requests may keep the engine from its short ways.
TEST(AcsRoutesWithoutSpoofs, SendEveryRequestTheSameWay) {
  Pair pair;
  AcsHierarchy hierarchy;
  hierarchy.roots[0].root = pair.t.add_router("root", {200ns});
  pair.t.connect(hierarchy.roots[0].root, pair.node, line(), line());
  hierarchy.roots[0].memory =
      pair.t.connect(hierarchy.roots[0].root, pair.t.add_endpoint("dram", pair.endpoint(pair.a)), line(), line());
  hierarchy.roots[0].iommu = true;
  for (const int link : {0, 1, 2, 3})
    hierarchy.ports[LinkId{static_cast<std::uint16_t>(link)}] = {.control = acs::source_validation};
  const auto routes = acs_routes(pair.t, hierarchy);
  ASSERT_FALSE(routes.empty());
  for (const Route& route : routes)
    for (const Route& other : routes) {
      if (route.router != other.router || route.ingress != other.ingress || route.target != other.target) continue;
      EXPECT_EQ(route.egress, other.egress);
    }
}

}  // namespace
}  // namespace peerpath::fabric
