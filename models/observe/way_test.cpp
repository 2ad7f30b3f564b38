#include <gtest/gtest.h>

#include "observe/finish.hpp"
#include "observe/sample_results.hpp"

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

TEST(Way, BothDirectionsOfOneRequester) {
  auto results = sample_results();
  results.links.resize(2);
  for (auto& link : results.links) {
    link.up.rows = {{"nic0", pcie::Purpose::payload, 1, 64_B, 20_B}};
    link.down.rows = {{"nic0", pcie::Purpose::payload, 1, 64_B, 20_B}};
  }
  EXPECT_EQ(describe_way(results, results.traffic[0]), "rc0 -> switch0 -> nic0, then nic0 -> switch0 -> rc0");
}

TEST(Way, NothingMoved) {
  auto results = sample_results();
  results.links.clear();
  EXPECT_EQ(describe_way(results, results.traffic[0]), "no payload crossed a link");
}

}  // namespace
}  // namespace peerpath::observe
