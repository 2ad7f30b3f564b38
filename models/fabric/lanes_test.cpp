// What one ingress holds for several ways out leaves each by itself, and so do its credits.
#include <gtest/gtest.h>

#include <memory>

#include "fabric/test_pair.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;

class Lanes : public testing::TestWithParam<Mode> {};

/// The last credit goes to the first of two TLPs for c, while that of a TLP for b is on its way back.
TEST_P(Lanes, TheLastCreditComesBackByTheSoonerWay) {
  Pair p;
  p.up(0).credits[0] = {2, 16};
  p.down(1).rate = 1_Gbps;
  const auto fabric = make_fabric(p.t, p, GetParam());
  fabric->observe(&p);
  fabric->submit(p.a, own, p.write(128_B));
  Transaction two = p.write(256_B);
  two.target = p.c;
  fabric->submit(p.a, own, two);
  fabric->advance(at(1ms));
  // The one for b is on its line from 110 to 110 + 1120, so its credit is back at 1280. The first one for c starts at
  // 140, leaves the switch from 250 to 390, and its credit is back at 440.
  EXPECT_EQ(p.starts(0, 0), (Times{0, 140, 440}));
  EXPECT_EQ(p.starts(2, 1), (Times{250, 550}));
}

/// The link to b has two virtual channels, that from a one: TLPs of one queue of the switch do not all keep their
/// order.
TEST_P(Lanes, WhatComesBehindMayGoFirstByVc1) {
  Pair p;
  p.down(1).rate = 1_Gbps;
  p.t.links[1].vc1_classes = 2;
  const auto fabric = make_fabric(p.t, p, GetParam());
  fabric->observe(&p);
  fabric->submit(p.a, own, p.write(512_B));
  Transaction urgent = p.write(128_B, 600ns);
  urgent.traffic_class = 1;
  fabric->submit(p.a, own, urgent);
  fabric->advance(at(1ms));
  // Each takes 1120 on the line to b. The urgent one is at the switch at 710.
  EXPECT_EQ(p.starts(1, 1), (Times{110, 1230, 2350, 3470, 4590}));
  std::vector<int> channels;
  for (const TlpRecord& r : p.tlps)
    if (r.link == LinkId{1}) channels.push_back(r.channel);
  EXPECT_EQ(channels, (std::vector<int>{0, 1, 0, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Modes, Lanes, testing::Values(Mode::event, Mode::train),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace peerpath::fabric
