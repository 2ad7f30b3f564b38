#include "devices/nic/sent_before.hpp"

#include <gtest/gtest.h>

namespace peerpath::nic {
namespace {

net::ParsedFrame segment(std::uint32_t flow, std::uint32_t sequence) {
  net::ParsedFrame parsed;
  parsed.key = net::generated_flow(flow);
  parsed.tcp_sequence = sequence;
  return parsed;
}

TEST(SentBefore, KnowsWhatComesTwice) {
  SentBefore seen;
  EXPECT_FALSE(seen.again(segment(0, 1000), 100));
  EXPECT_FALSE(seen.again(segment(0, 1100), 100));
  EXPECT_TRUE(seen.again(segment(0, 1000), 100));
  EXPECT_TRUE(seen.again(segment(0, 1050), 100));
  EXPECT_FALSE(seen.again(segment(1, 1000), 100)) << "another flow";
  EXPECT_FALSE(seen.again(segment(0, 1150), 100)) << "partly new";
  EXPECT_TRUE(seen.again(segment(0, 1150), 100));
}

TEST(SentBefore, WhatComesLateIsNew) {
  SentBefore seen;
  EXPECT_FALSE(seen.again(segment(0, 5000), 100));
  EXPECT_FALSE(seen.again(segment(0, 5200), 100));
  EXPECT_FALSE(seen.again(segment(0, 4900), 100)) << "from before the first";
  EXPECT_FALSE(seen.again(segment(0, 5100), 100)) << "fills the gap";
  EXPECT_TRUE(seen.again(segment(0, 4900), 400)) << "all of it";
}

TEST(SentBefore, SequenceNumbersWrap) {
  SentBefore seen;
  EXPECT_FALSE(seen.again(segment(0, 0xffffff00), 0x100));
  EXPECT_FALSE(seen.again(segment(0, 0), 0x100));
  EXPECT_TRUE(seen.again(segment(0, 0xffffff80), 0x100));
}

TEST(SentBefore, AConnectionThatOpensAnewIsNew) {
  SentBefore seen;
  EXPECT_FALSE(seen.again(segment(0, 7), 100));
  seen.opened(segment(0, 6));
  EXPECT_FALSE(seen.again(segment(0, 7), 100));
}

TEST(SentBefore, IsBounded) {
  SentBefore seen;
  for (std::uint32_t n = 0; n < 3 * SentBefore::most_gaps; ++n) EXPECT_FALSE(seen.again(segment(0, 2000 * n), 1000));
  for (std::uint32_t n = 1; n < 3 * SentBefore::most_flows; ++n) EXPECT_FALSE(seen.again(segment(n, 1), 1000));
}

}  // namespace
}  // namespace peerpath::nic
