#include "peerpath/scenario/bar1.hpp"

#include <gtest/gtest.h>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/queues.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::scenario {
namespace {

/// good.json with a board that shows 256 MiB, 32 MiB of which its driver keeps: 224 MiB are left.
Scenario small_window(std::vector<std::string> overrides) {
  LoadOptions options;
  options.overrides = {"devices.gpu0.bar_size=256MiB", "devices.gpu0.bar1.reserved=32MiB", "expect=[]"};
  options.overrides.insert(options.overrides.end(), overrides.begin(), overrides.end());
  const auto loaded = load(testdata() / "good.json", options);
  EXPECT_TRUE(loaded.has_value()) << lines_of(loaded.error());
  return loaded ? loaded->scenario : Scenario{};
}

const std::string transfers =
    R"(traffic=[{"name": "a", "kind": "write", "from": "nic0", "to": "gpu0", "window": "100MiB", "sizes": "4KiB"},
                {"name": "b", "kind": "read", "from": "nic0", "to": "gpu0", "window": "1GiB", "sizes": "4KiB"},
                {"name": "c", "kind": "write", "from": "nic0", "to": "gpu0", "window": "64MiB", "sizes": "4KiB"}])";

std::string verdicts(const Bar1Plan& plan) {
  std::string all;
  for (const auto& mapping : plan.mappings)
    all += std::string{name_of(mapping.verdict)} + " " + to_text(mapping.given) + "; ";
  return all;
}

TEST(Bar1, HoldsTheBuffersOfTheQueues) {
  const auto plans = bar1_plans(small_window({}));
  ASSERT_EQ(plans.size(), 1U);
  // 4 queues of 1024 buffers of 4 KiB
  EXPECT_EQ(verdicts(plans[0]), "mapped 16MiB; ");
  EXPECT_EQ(plans[0].used, 48_MiB);
}

TEST(Bar1, WhatIsRegisteredTakesItsRoomWithoutBeingUsed) {
  const auto plans = bar1_plans(small_window({"traffic.0.registered=200MiB"}));
  EXPECT_EQ(verdicts(plans[0]), "mapped 200MiB; ");
  EXPECT_EQ(plans[0].used, 232_MiB);
}

TEST(Bar1, ReceiveThatDoesNotFitIsRefusedOrBouncesAsTheGpuSays) {
  EXPECT_EQ(verdicts(bar1_plans(small_window({"traffic.0.registered=225MiB"}))[0]), "refused 0B; ");
  const auto bounced = bar1_plans(small_window({"traffic.0.registered=225MiB", "devices.gpu0.bar1.when_full=bounce"}));
  EXPECT_EQ(verdicts(bounced[0]), "bounced 0B; ");
  EXPECT_EQ(bounced[0].used, 32_MiB);
  ASSERT_NE(bar1_mapping(bounced, 0), nullptr);
  EXPECT_EQ(to_text(bounced[0], *bar1_mapping(bounced, 0)),
            "225MiB registered do not fit the window's 256MiB: bounced through host memory");
}

TEST(Bar1, TransmitThatDoesNotFitBouncesToo) {
  const std::vector<std::string> sends{"traffic.0.kind=transmit", "traffic.0.registered=225MiB"};
  EXPECT_EQ(verdicts(bar1_plans(small_window(sends))[0]), "refused 0B; ");
  auto bounces = sends;
  bounces.emplace_back("devices.gpu0.bar1.when_full=bounce");
  EXPECT_EQ(verdicts(bar1_plans(small_window(bounces))[0]), "bounced 0B; ");
}

TEST(Bar1, WhatBouncesAnywayNeedsNoRoom) {
  const auto plans = bar1_plans(small_window({"traffic.0.path=bounce"}));
  EXPECT_TRUE(plans[0].mappings.empty());
  EXPECT_EQ(bar1_mapping(plans, 0), nullptr);
}

TEST(Bar1, WhatFitsIsMappedAndTheRestIsRefusedRemappedOrNeither) {
  EXPECT_EQ(verdicts(bar1_plans(small_window({transfers}))[0]), "mapped 100MiB; refused 0B; mapped 64MiB; ");
  // 60 MiB are left: three pieces of 16 MiB
  EXPECT_EQ(verdicts(bar1_plans(small_window({transfers, "devices.gpu0.bar1.when_full=remap"}))[0]),
            "mapped 100MiB; remapped 48MiB; mapped 64MiB; ");
  // a piece that is larger than what is left
  EXPECT_EQ(verdicts(bar1_plans(
                small_window({transfers, "devices.gpu0.bar1.when_full=remap", "devices.gpu0.bar1.piece=64MiB"}))[0]),
            "mapped 100MiB; refused 0B; mapped 64MiB; ");
  // nobody bounces a transfer between peers
  EXPECT_EQ(verdicts(bar1_plans(small_window({transfers, "devices.gpu0.bar1.when_full=bounce"}))[0]),
            "mapped 100MiB; refused 0B; mapped 64MiB; ");
}

TEST(Queues, AreSharedOutInTurnBetweenDestinations) {
  const auto s =
      small_window({R"(traffic=[{"name": "a", "kind": "receive", "from": "nic0", "to": "gpu0", "rate": "50Gbps"},
                   {"name": "b", "kind": "receive", "from": "nic0", "to": "dram", "rate": "50Gbps"},
                   {"name": "c", "kind": "receive", "from": "nic0", "to": "gpu0", "rate": "50Gbps"}])"});
  const auto shares = receive_shares(s, "nic0");
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].entries, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(shares[0].queues, (std::vector<int>{0, 2}));
  EXPECT_EQ(shares[1].queues, (std::vector<int>{1, 3}));
  EXPECT_TRUE(transmit_shares(s, "nic0").empty());
  EXPECT_EQ(verdicts(bar1_plans(s)[0]), "mapped 8MiB; ");
}

}  // namespace
}  // namespace peerpath::scenario
