#include "flows/flow_network.hpp"

#include <gtest/gtest.h>

#include <map>

namespace peerpath::flows {
namespace {

using namespace literals;
using namespace std::chrono_literals;

class Flows : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!make_flow_network({})) GTEST_SKIP() << "peerpath was built without SimGrid";
  }

  /// When each flow ended.
  std::map<FlowIndex, Instant> play(std::vector<BitRate> links, const std::vector<std::vector<LinkIndex>>& ways,
                                    Bytes bytes) {
    std::map<FlowIndex, Instant> out;
    const auto network = make_flow_network(links);
    network->ended = [&](FlowIndex flow, Instant now) { out[flow] = now; };
    for (FlowIndex f = 0; f < ways.size(); ++f) network->start(f, ways[f], bytes);
    network->run(Instant{1s});
    EXPECT_TRUE(network->idle());
    return out;
  }
};

TEST_F(Flows, TwoThatShareALinkTakeTwiceAsLong) {
  const auto ended = play({100_Gbps, 100_Gbps}, {{0}, {0}, {1}}, Bytes{12'500'000});
  EXPECT_EQ(ended.at(0), Instant{2ms});
  EXPECT_EQ(ended.at(1), Instant{2ms});
  EXPECT_EQ(ended.at(2), Instant{1ms});
}

/// Three flows over the first link, of which one is held to a tenth elsewhere: the other two share what it leaves.
TEST_F(Flows, WhatOneCannotUseGoesToTheOthers) {
  const auto ended = play({100_Gbps, 10_Gbps}, {{0, 1}, {0}, {0}}, Bytes{11'250'000});
  EXPECT_EQ(ended.at(1), Instant{2ms});  // 45 Gb/s each
  EXPECT_EQ(ended.at(2), Instant{2ms});
  EXPECT_EQ(ended.at(0), Instant{9ms});
}

TEST_F(Flows, OneStartsTheNextAndTimersGoBetween) {
  std::vector<BitRate> links{100_Gbps};
  const std::vector<LinkIndex> way{0};
  const auto network = make_flow_network(links);
  std::vector<std::pair<std::uint64_t, Instant>> heard;
  network->ended = [&](FlowIndex flow, Instant now) {
    heard.emplace_back(flow, now);
    if (heard.size() < 3) network->start(flow, way, Bytes{12'500});
  };
  network->woken = [&](std::uint64_t detail, Instant now) { heard.emplace_back(detail, now); };
  network->wake(Instant{1500ns}, 77);
  network->start(5, way, Bytes{12'500});
  network->run(Instant{2us});
  EXPECT_FALSE(network->idle());
  network->run(Instant{1s});
  EXPECT_TRUE(network->idle());
  const std::vector<std::pair<std::uint64_t, Instant>> wanted{
      {5, Instant{1us}}, {77, Instant{1500ns}}, {5, Instant{2us}}};
  ASSERT_GE(heard.size(), 3u);
  heard.resize(3);
  EXPECT_EQ(heard, wanted);
}

TEST_F(Flows, AStoppedOneSaysWhatIsLeftAndGivesItsShareBack) {
  std::vector<BitRate> links{100_Gbps};
  const std::vector<LinkIndex> way{0};
  const auto network = make_flow_network(links);
  std::map<FlowIndex, Instant> ended;
  network->ended = [&](FlowIndex flow, Instant now) { ended[flow] = now; };
  Bytes left{};
  network->woken = [&](std::uint64_t, Instant) { left = network->stop(1); };
  network->start(0, way, Bytes{12'500'000});
  network->start(1, way, Bytes{12'500'000});
  network->wake(Instant{1ms}, 0);
  network->run(Instant{1s});
  EXPECT_NEAR(static_cast<double>(left.count()), 6'250'000, 1'000);
  EXPECT_EQ(ended.size(), 1u);
  EXPECT_NEAR(std::chrono::duration<double>(ended.at(0) - Instant{}).count(), 0.0015, 1e-7);
}

/// SimGrid's clock is the process's: a second network begins where the first ended, and says the same times.
TEST_F(Flows, ASecondNetworkOfAProcessSaysTheSame) {
  const std::vector<std::vector<LinkIndex>> ways{{0, 1}, {0}, {1, 2}, {2}, {0, 2}};
  const auto first = play({100_Gbps, 70_Gbps, 33_Gbps}, ways, Bytes{1'234'567});
  EXPECT_EQ(play({100_Gbps, 70_Gbps, 33_Gbps}, ways, Bytes{1'234'567}), first);
}

}  // namespace
}  // namespace peerpath::flows
