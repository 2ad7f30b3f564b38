#include <gtest/gtest.h>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

TEST(Way, ZeroCopyGoesStraightThroughTheSwitch) {
  const auto results = sample_results();
  EXPECT_EQ(describe_way(results, results.traffic[0]), "nic0 -> switch0 -> gpu0");
}

TEST(Way, BounceGoesUpAndComesDown) {
  auto results = sample_results();
  auto& upstream = results.links[0];
  auto& gpu = results.links[2];
  upstream.up.rows.push_back({"nic0", pcie::Purpose::payload, 1, 4096_B, 20_B});
  upstream.down.rows.push_back({"gpu0", pcie::Purpose::payload, 1, 4096_B, 20_B});
  gpu.down.rows = {{"gpu0", pcie::Purpose::payload, 1, 4096_B, 20_B}};
  results.traffic[0].requesters = {"nic0", "gpu0"};
  EXPECT_EQ(describe_way(results, results.traffic[0]), "nic0 -> switch0 -> rc0, then rc0 -> switch0 -> gpu0");
}

TEST(Way, SentByWayOfHostMemoryGoesUpAndComesDown) {
  auto results = sample_results();
  auto &upstream = results.links[0], &nic = results.links[1], &gpu = results.links[2];
  gpu.up.rows = {{"gpu0", pcie::Purpose::payload, 1, 4096_B, 20_B}};
  upstream.up.rows = gpu.up.rows;
  upstream.down.rows = nic.down.rows = {{"nic0", pcie::Purpose::payload, 1, 4096_B, 20_B}};
  nic.up.rows = gpu.down.rows = {};
  results.traffic[0].kind = "transmit";
  results.traffic[0].requesters = {"gpu0", "nic0"};
  EXPECT_EQ(describe_way(results, results.traffic[0]), "gpu0 -> switch0 -> rc0, then rc0 -> switch0 -> nic0");
}

TEST(Way, BothDirectionsOfOneRequester) {
  auto results = sample_results();
  results.links.resize(2);
  for (auto& link : results.links) {
    link.up.rows = {{"nic0", pcie::Purpose::payload, 1, 64_B, 20_B}};
    link.down.rows = {{"nic0", pcie::Purpose::payload, 1, 64_B, 20_B}};
  }
  EXPECT_EQ(describe_way(results, results.traffic[0]), "rc0 -> switch0 -> nic0, then nic0 -> switch0 -> rc0");
}

/// Payload of `requester` up and down a link.
void carry(LinkResult& link, const std::string& requester, Bytes up, Bytes down) {
  link.up.rows.push_back({requester, pcie::Purpose::payload, 1, up, 20_B});
  link.down.rows.push_back({requester, pcie::Purpose::payload, 1, down, 20_B});
}

/// gpu0 and gpu1 below switch0, which is below rc0; dram0 at rc0.
Results below_a_switch() {
  Results results;
  for (const auto& [farther, nearer] :
       {std::pair{"switch0", "rc0"}, {"gpu0", "switch0"}, {"gpu1", "switch0"}, {"dram0", "rc0"}})
    results.links.push_back(sample_link(farther, nearer));
  results.traffic.resize(1);
  auto& traffic = results.traffic[0];
  traffic.kind = "write";
  traffic.from = "gpu0";
  traffic.to = "gpu1";
  traffic.requesters = {"gpu0"};
  return results;
}

// Some of what was read is still between switch1 and card0.
TEST(Way, WhatIsUnderWayToAReaderDoesNotTakeTheWayOfItsWrites) {
  Results results;
  for (const auto& [farther, nearer] :
       {std::pair{"switch0", "rc0"}, {"switch1", "rc0"}, {"gpu0", "switch0"}, {"card0", "switch1"}, {"dram0", "rc0"}})
    results.links.push_back(sample_link(farther, nearer));
  carry(results.links[0], "card0", 1'000'000_B, 0_B);
  carry(results.links[1], "card0", 500'000_B, 1'000'000_B);
  carry(results.links[2], "card0", 1'000'000_B, 0_B);
  carry(results.links[3], "card0", 500'000_B, 900'000_B);
  carry(results.links[4], "card0", 0_B, 500'000_B);
  results.traffic.resize(2);
  results.traffic[0].kind = "read";
  results.traffic[0].to = "gpu0";
  results.traffic[1].kind = "write";
  results.traffic[1].to = "dram0";
  for (auto& traffic : results.traffic) {
    traffic.from = "card0";
    traffic.requesters = {"card0"};
  }
  EXPECT_EQ(describe_way(results, results.traffic[0]), "gpu0 -> switch0 -> rc0 -> switch1 -> card0");
  EXPECT_EQ(describe_way(results, results.traffic[1]), "card0 -> switch1 -> rc0 -> dram0");
}

TEST(Way, RedirectedPayloadTurnsRoundAtTheRootComplex) {
  auto results = below_a_switch();
  carry(results.links[0], "gpu0", 9'900'000_B, 9'890'000_B);
  carry(results.links[1], "gpu0", 10'000'000_B, 0_B);
  carry(results.links[2], "gpu0", 0_B, 9'900'000_B);  // 1 % was under way
  EXPECT_EQ(describe_way(results, results.traffic[0]), "gpu0 -> switch0 -> rc0 -> switch0 -> gpu1");
}

TEST(Way, RedirectedForAThirdOfTheTime) {
  auto results = below_a_switch();
  carry(results.links[0], "gpu0", 4'000'000_B, 4'000'000_B);
  carry(results.links[1], "gpu0", 12'000'000_B, 0_B);
  carry(results.links[2], "gpu0", 0_B, 12'000'000_B);
  EXPECT_EQ(describe_way(results, results.traffic[0]),
            "gpu0 -> switch0 -> rc0 -> switch0 -> gpu1, then gpu0 -> switch0 -> gpu1");
}

TEST(Way, WhatAPortBlocksHasNotBeenRedirectedBefore) {
  auto results = below_a_switch();
  carry(results.links[0], "gpu0", 4096_B, 4096_B);  // redirected, until Egress Control blocks the rest
  carry(results.links[1], "gpu0", 8192_B, {});
  results.links.insert(results.links.begin() + 2, sample_link("switch0 ACS violations", "switch0"));
  carry(results.links[2], "gpu0", {}, 4096_B);
  carry(results.links[3], "gpu0", {}, 4096_B);
  EXPECT_EQ(describe_way(results, results.traffic[0]),
            "gpu0 -> switch0 -> rc0 -> switch0 -> gpu1, then gpu0 -> switch0 -> switch0 ACS violations");
}

TEST(Way, OfOneOfTwoFlowsIsItsOwn) {
  auto results = below_a_switch();
  carry(results.links[0], "gpu0", 400_B, 300_B);
  carry(results.links[1], "gpu0", 1000_B, 300_B);
  carry(results.links[2], "gpu0", 0_B, 600_B);
  carry(results.links[3], "gpu0", 300_B, 400_B);
  auto to_dram = results.traffic[0];
  to_dram.to = "dram0";
  auto from_dram = to_dram;
  from_dram.kind = "read";
  results.traffic.insert(results.traffic.end(), {to_dram, from_dram});
  EXPECT_EQ(describe_way(results, results.traffic[0]), "gpu0 -> switch0 -> gpu1");
  EXPECT_EQ(describe_way(results, results.traffic[1]), "gpu0 -> switch0 -> rc0 -> dram0");
  EXPECT_EQ(describe_way(results, results.traffic[2]), "dram0 -> rc0 -> switch0 -> gpu0");
}

TEST(Way, PayloadThatGotStuckIsSaid) {
  auto results = below_a_switch();
  carry(results.links[1], "gpu0", 4096_B, 0_B);
  EXPECT_EQ(describe_way(results, results.traffic[0]), "gpu0 -> switch0");
}

TEST(Way, NothingMoved) {
  auto results = sample_results();
  results.links.clear();
  EXPECT_EQ(describe_way(results, results.traffic[0]), "no payload crossed a link");
}

}  // namespace
}  // namespace peerpath::observe
