#include <gtest/gtest.h>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

TEST(Bottleneck, BusiestComesFirst) {
  const auto ranked = rank_utilisation(sample_results());
  ASSERT_GE(ranked.size(), 3u);
  EXPECT_EQ(ranked[0].name, "nic0 Ethernet port");
  EXPECT_EQ(to_string(ranked[0].percent), "98");
  EXPECT_EQ(ranked[1].name, "link nic0-switch0 up");
  EXPECT_EQ(ranked[2].name, "link gpu0-switch0 down");
}

TEST(Bottleneck, SaysThatAllArrived) {
  EXPECT_EQ(
      explain_bottleneck(sample_results()),
      "nic0 Ethernet port, busy 98 % of the time; next link nic0-switch0 up with 80 %; all that was offered arrived");
}

TEST(Bottleneck, SaysWhatIsHeldBack) {
  auto results = sample_results();
  results.traffic[0].offered_payload = 500'000_B;
  EXPECT_NE(explain_bottleneck(results).find("it holds back stream"), std::string::npos);
  results.resources.clear();
  EXPECT_NE(explain_bottleneck(results).find("stream fell short although nothing was saturated"), std::string::npos);
}

TEST(Bottleneck, NothingHoldsBackWhatWasRefused) {
  auto results = sample_results();
  auto& stream = results.traffic[0];
  stream.offered_payload = 500'000_B;
  stream.lost = 60'000_B;
  stream.all_ones = stream.offered_payload - stream.delivered_payload - stream.lost;
  EXPECT_TRUE(explain_bottleneck(results).ends_with("with 80 %; of stream a part was refused: see the faults"))
      << explain_bottleneck(results);
  stream.lost = 30'000_B;  // the rest came nowhere
  EXPECT_TRUE(
      explain_bottleneck(results).ends_with("it holds back stream; of stream a part was refused: see the faults"))
      << explain_bottleneck(results);
}

TEST(Bottleneck, TheEntranceHoldsNothingBack) {
  auto results = sample_results();
  results.traffic[0].offered_payload = 500'000_B;
  results.resources[0].entrance = true;
  EXPECT_TRUE(explain_bottleneck(results).starts_with("link nic0-switch0 up, busy 80 %"))
      << explain_bottleneck(results);
}

TEST(Bottleneck, NamesAWindowThatIsFullWhereSomethingFallsShort) {
  auto results = sample_results();
  results.windows.push_back({"gpu0", 256_MiB, 32_MiB, 32_MiB, {{"stream", 1_GiB, 0_B, "refused", false, ""}}});
  EXPECT_EQ(explain_bottleneck(results).find("BAR1"), std::string::npos);  // all arrived
  results.traffic[0].offered_payload = 500'000_B;
  results.resources.clear();
  EXPECT_TRUE(explain_bottleneck(results).ends_with("; BAR1 of gpu0 had no room for all of stream"))
      << explain_bottleneck(results);
}

TEST(Bottleneck, ADeadlockIsWhatHoldsBack) {
  auto results = sample_results();
  results.deadlock.emplace();
  results.traffic[0].offered_payload = 500'000_B;
  EXPECT_EQ(explain_bottleneck(results), "a deadlock; it holds back stream");
}

TEST(Bottleneck, NothingBusy) { EXPECT_EQ(explain_bottleneck({}), "nothing was busy"); }

}  // namespace
}  // namespace peerpath::observe
