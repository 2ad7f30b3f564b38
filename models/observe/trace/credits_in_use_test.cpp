#include "observe/trace/credits_in_use.hpp"

#include <gtest/gtest.h>

#include "observe/trace/test_scene.hpp"

namespace peerpath::trace {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using pcie::TlpClass;

struct TraceCredits : testing::Test {
  TraceCredits() {
    for (auto& link : t.scene.topology.links)
      for (auto& direction : link.direction) {
        direction.credits[0] = {2, 32};
        direction.update_fc = 60ns;
        direction.propagation = 10ns;
      }
  }
  void see(fabric::LinkId link, bool away, std::uint64_t number, std::int64_t ns) {
    Tlp tlp{.record = t.record(link, away, TlpClass::posted, number, write, 0, 256_B, ns), .asked = write};
    tlp.from = away ? t.sw : t.nic;
    tlp.to = away ? t.gpu : t.sw;
    credits.see(tlp,
                [this](const CreditsInUse::Change& c) { changes.emplace_back(c.when - Instant{}, c.link, c.taken); });
  }

  TestScene t;
  CreditsInUse credits{t.scene.topology};
  fabric::Transaction write{.target = TestScene::gpu, .bytes = 256_B};
  std::vector<std::tuple<Duration, std::size_t, int>> changes;
};

TEST_F(TraceCredits, ARouterGivesOneBackWhenTheTlpHasLeftItByTheNextLink) {
  see(t.to_nic, false, 1, 0);
  see(t.to_gpu, true, 1, 100);   // leaves until 105
  see(t.to_nic, false, 2, 164);  // the first comes back at 165
  see(t.to_nic, false, 3, 166);
  const std::vector<std::tuple<Duration, std::size_t, int>> wanted{
      {0ns, 0, 1}, {100ns, 1, 1}, {164ns, 0, 2}, {165ns, 0, 1}, {166ns, 0, 2}};
  EXPECT_EQ(changes, wanted);
}

TEST_F(TraceCredits, AnEndpointGivesOneBackWhenItHasTakenTheTlpIn) {
  t.scene.topology.nodes[2].endpoint.service[0] = {20ns, {}};
  see(t.to_gpu, true, 1, 0);  // arrives at 15, taken in until 35
  see(t.to_gpu, true, 2, 94);
  see(t.to_gpu, true, 3, 96);
  const std::vector<std::tuple<Duration, std::size_t, int>> wanted{
      {0ns, 1, 1}, {94ns, 1, 2}, {95ns, 1, 1}, {96ns, 1, 2}};
  EXPECT_EQ(changes, wanted);
}

}  // namespace
}  // namespace peerpath::trace
