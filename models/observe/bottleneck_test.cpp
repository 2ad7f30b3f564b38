#include <gtest/gtest.h>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

std::string sentence(Results results, const scenario::Scenario& scenario = {}) {
  find_bottleneck(results, scenario);
  return results.bottleneck;
}

/// The stream of the sample arrives at less than the rate at which it is offered.
Results falls_short() {
  auto results = sample_results();
  results.traffic[0].offered_payload = 500'000_B;
  return results;
}

TEST(Bottleneck, BusiestComesFirst) {
  const auto ranked = rank_utilisation(sample_results());
  ASSERT_GE(ranked.size(), 3u);
  EXPECT_EQ(ranked[0].name, "nic0 Ethernet port");
  EXPECT_EQ(to_string(ranked[0].percent), "98");
  EXPECT_EQ(ranked[1].name, "link nic0-switch0 up");
  EXPECT_EQ(ranked[2].name, "link gpu0-switch0 down");
}

TEST(Bottleneck, TheArrivalRateLimitsWhatArrivesInFull) {
  EXPECT_EQ(sentence(sample_results()),
            "the arrival rate: all that was offered arrived; busiest: nic0 Ethernet port, 98 %");
}

TEST(Bottleneck, SaysWhatIsHeldBack) {
  auto results = falls_short();
  EXPECT_EQ(sentence(results), "nic0 Ethernet port, busy 98 % of the time; it holds back stream");
  results.resources.clear();
  EXPECT_TRUE(sentence(results).starts_with("latency, or several things in turn; it holds back stream; busiest: link"))
      << sentence(results);
}

TEST(Bottleneck, NothingHoldsBackWhatWasRefused) {
  auto results = falls_short();
  auto& stream = results.traffic[0];
  stream.lost = 60'000_B;
  stream.all_ones = stream.offered_payload - stream.delivered_payload - stream.lost;
  EXPECT_TRUE(sentence(results).starts_with("refusals; of stream a part was refused: see the faults"))
      << sentence(results);
  stream.lost = 30'000_B;  // the rest came nowhere
  EXPECT_TRUE(sentence(results).ends_with("it holds back stream; of stream a part was refused: see the faults"))
      << sentence(results);
}

TEST(Bottleneck, TheEntranceHoldsNothingBack) {
  auto results = falls_short();
  results.resources[0].entrance = true;
  EXPECT_TRUE(sentence(results).starts_with("latency")) << sentence(results);
}

TEST(Bottleneck, NamesAWindowThatIsFullWhereSomethingFallsShort) {
  auto results = sample_results();
  results.windows.push_back({"gpu0", 256_MiB, 32_MiB, 32_MiB, {{"stream", 1_GiB, 0_B, "refused", false, ""}}});
  EXPECT_EQ(sentence(results).find("BAR1"), std::string::npos);  // all arrived
  results.traffic[0].offered_payload = 500'000_B;
  results.resources.clear();
  EXPECT_TRUE(sentence(results).ends_with("; BAR1 of gpu0 had no room for all of stream")) << sentence(results);
}

TEST(Bottleneck, ADeadlockIsWhatHoldsBack) {
  auto results = falls_short();
  results.deadlock.emplace();
  EXPECT_EQ(sentence(results), "a deadlock; it holds back stream");
}

TEST(Bottleneck, ABusyLinkHoldsBackOnlyWhatTakesIt) {
  auto results = falls_short();
  results.resources.clear();
  results.links[1].up.busy = 10us;
  auto other = results.traffic[0];
  other.name = "other";
  other.from = "nic1";
  other.requesters = {"nic1"};
  results.traffic.push_back(other);
  EXPECT_EQ(
      sentence(results),
      "link nic0-switch0 up, busy 100 % of the time; it holds back stream; latency, or several things in turn; it "
      "holds back other");
  results.cpus[0].busiest = 10us;
  results.cpus[0].busiest_of["other"] = 10us;
  results.cpus[0].busy = 40us;
  results.links[1].up.signalling = 1us;
  EXPECT_TRUE(sentence(results).ends_with(
      "it holds back stream; cpu0, its busiest core, busy 100 % of the time; it holds back other"))
      << sentence(results);
}

TEST(Bottleneck, NothingOffered) { EXPECT_EQ(sentence({}), "nothing was offered"); }

/// The sample with a link that lacks credits, as the scenario has them.
struct Starved {
  Results results = falls_short();
  scenario::Scenario scenario;

  Starved() {
    results.resources.clear();
    results.links[1].up.credit_stall = 6us;
    for (const auto& [from, to] : {std::pair{"rc0", "switch0"}, {"switch0", "nic0"}, {"switch0", "gpu0"}}) {
      scenario.links.emplace_back();
      scenario.links.back().from = from;
      scenario.links.back().to = to;
    }
  }
};

TEST(Bottleneck, NamesTheClassOfCreditsAndTheLink) {
  Starved headers;
  headers.scenario.links[1].credits.posted_header = 4;
  EXPECT_EQ(sentence(headers.results, headers.scenario),
            "posted header credits of link nic0-switch0 up, missing 60 % of the time; it holds back stream");
  Starved data;
  data.scenario.links[1].credits.posted_data = 16;
  EXPECT_TRUE(sentence(data.results, data.scenario).starts_with("posted data credits of link nic0-switch0 up"))
      << sentence(data.results, data.scenario);
}

TEST(Bottleneck, MissingCreditsAreFollowedToWhereTheyAreKept) {
  Starved at_the_gpu;
  at_the_gpu.results.links[2].down.credit_stall = 5us;
  EXPECT_TRUE(
      sentence(at_the_gpu.results, at_the_gpu.scenario).find(" credits of link gpu0-switch0 down, missing 50 %") !=
      std::string::npos)
      << sentence(at_the_gpu.results, at_the_gpu.scenario);
}

TEST(Bottleneck, LostCreditsAreNotThere) {
  Starved leak;
  scenario::event::CreditLeak lost;
  lost.headers = 126;
  leak.scenario.events.push_back({1us, lost, "nic0"});
  EXPECT_TRUE(sentence(leak.results, leak.scenario).starts_with("posted header credits of link nic0-switch0 up"))
      << sentence(leak.results, leak.scenario);
}

TEST(Bottleneck, NamesTagsOfWhichMoreWereWanted) {
  auto results = falls_short();
  results.traffic[0].kind = "read";
  results.resources = {{"nic0 tags", 80us, 80us, false, 83us}};
  EXPECT_FALSE(sentence(results).starts_with("nic0 tags")) << "as many as there are: something else may limit";
  results.resources[0].asked = 160us;
  EXPECT_EQ(sentence(results), "nic0 tags, all in use while reads waited for one; it holds back stream");
}

TEST(Bottleneck, NamesWhatTheNicLacks) {
  auto results = falls_short();
  results.resources.clear();
  const auto count = [&](const char* name, std::int64_t n) {
    results.metrics.push_back({name, "1", Decimal{n, 0}, ""});
  };
  results.traffic[0].dropped_packets = 7;
  count("nic0.dropped_fifo_full", 3);
  count("nic0.dropped_no_buffer", 4);
  EXPECT_TRUE(sentence(results).starts_with("nic0 interrupt moderation, too long")) << sentence(results);
  count("nic0.rx_waited_fetch", 5);
  EXPECT_TRUE(sentence(results).starts_with("nic0 descriptor prefetch, too short")) << sentence(results);
  results.metrics.back().name = "nothing";
  results.metrics[results.metrics.size() - 2].name = "nothing";
  EXPECT_TRUE(sentence(results).starts_with("nic0 receive FIFO, full when 3 frames came")) << sentence(results);
}

/// One card whose writes and reads of host memory fill both directions of its link.
Results both_ways() {
  Results results;
  results.window = 10us;
  auto link = sample_link("card0", "rc0");
  link.up.busy = link.down.busy = 10us;
  for (const auto* kind : {"write", "read"}) {
    TrafficResult entry;
    entry.name = entry.kind = kind;
    entry.from = "card0";
    entry.to = "dram0";
    entry.requesters = {"card0"};
    entry.offered_packets = 200;
    entry.delivered_packets = 100;
    entry.offered_payload = 800'000_B;
    entry.delivered_payload = 400'000_B;
    entry.crossed = {400'000_B, 400'000_B};
    results.traffic.push_back(entry);
  }
  link.up.rows.push_back({"card0", pcie::Purpose::payload, 2600, 400'000_B, 32'000_B});
  link.down.rows.push_back({"card0", pcie::Purpose::payload, 1600, 400'000_B, 32'000_B});
  results.links = {link, sample_link("dram0", "rc0")};
  return results;
}

TEST(Bottleneck, ReadsAreHeldBackWhereTheirDataGoes) {
  auto results = both_ways();
  find_bottleneck(results, {});
  EXPECT_EQ(results.traffic[0].limit, "link card0-rc0 up");
  EXPECT_EQ(results.traffic[1].limit, "link card0-rc0 down");
  EXPECT_EQ(results.bottleneck,
            "link card0-rc0 up, busy 100 % of the time; it holds back write; link card0-rc0 down, busy 100 % of the "
            "time; it holds back read");
}

TEST(Bottleneck, RequestsWaitWhereNothingElseIsFull) {
  auto results = both_ways();
  results.links[0].down.busy = 2us;
  find_bottleneck(results, {});
  EXPECT_EQ(results.traffic[1].limit, "link card0-rc0 up");
}

TEST(Bottleneck, TransfersInFlightAreNamedOnlyWhereAllAreInUse) {
  auto results = both_ways();
  results.traffic.pop_back();
  results.links[0].up.busy = 3us;
  results.resources = {{"card0 transfers in flight", 5us, 10us, false, 40us}};
  EXPECT_TRUE(sentence(results).starts_with("latency, or several things in turn")) << sentence(results);
  results.resources[0].busy = 10us;
  EXPECT_EQ(sentence(results),
            "card0 transfers in flight: too few for this latency (raise `outstanding`); it holds back write");
}

TEST(Bottleneck, WhatGetsThroughHasNoLimit) {
  auto results = both_ways();
  results.traffic[0].delivered_payload = results.traffic[0].offered_payload;
  results.traffic[0].delivered_packets = results.traffic[0].offered_packets;
  find_bottleneck(results, {});
  EXPECT_EQ(results.traffic[0].limit, "the arrival rate");
  ASSERT_EQ(results.limits.size(), 1u);
  EXPECT_EQ(results.limits[0].traffic, std::vector<std::string>{"read"});
}

/// The sample results with a fifth of the offered payload missing. The last burst may account for all of it.
struct LastBurst {
  Results results = sample_results();
  scenario::Scenario scenario;

  LastBurst() {
    scenario.traffic.emplace_back();
    scenario.traffic[0].name = "stream";
    scenario.traffic[0].what = scenario::traffic::Receive{};
    scenario.traffic[0].sizes = {4000_B};
    scenario.traffic[0].arrival = scenario::ArrivalLaw::burst;
    scenario.traffic[0].burst = 25;
    results.traffic[0].offered_packets = 125;
    results.traffic[0].offered_payload = 500'000_B;
  }
};

TEST(Bottleneck, SaysWhatWasOnItsWayAtTheEndOfTheWindow) {
  LastBurst burst;
  burst.results.resources.clear();
  EXPECT_EQ(sentence(burst.results, burst.scenario),
            "the arrival rate: all that was offered arrived, but for 20 % of stream that was on its way at the end; "
            "busiest: link nic0-switch0 up, 80 %");
}

TEST(Bottleneck, ALastBurstIsNoExcuseForWhatIsBusyAllTheTime) {
  LastBurst burst;
  find_bottleneck(burst.results, burst.scenario);
  EXPECT_EQ(burst.results.traffic[0].limit, "nic0 Ethernet port");
  EXPECT_TRUE(burst.results.bottleneck.starts_with("nic0 Ethernet port, busy 98 %")) << burst.results.bottleneck;
}

TEST(Bottleneck, ARunOfTheEmulatorTakesNoTime) {
  auto results = sample_results();
  results.window = Duration{0};
  results.traffic[0].offered_packets = results.traffic[0].delivered_packets + 1000;
  scenario::Scenario scenario;
  scenario.devices.push_back({results.traffic[0].from, device::NicConfig{}});
  EXPECT_FALSE(sentence(results, scenario).empty());
  results.traffic[0].offered_packets = results.traffic[0].delivered_packets;
  EXPECT_FALSE(sentence(results, scenario).empty());
}

TEST(Bottleneck, OneLineOfATerminal) {
  Starved starved;
  starved.scenario.links[1].credits.posted_header = 4;
  EXPECT_LE(sentence(starved.results, starved.scenario).size(), 120u);
}

}  // namespace
}  // namespace peerpath::observe
