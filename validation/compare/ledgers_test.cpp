#include "validation/compare/ledgers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace peerpath::compare {
namespace {

using Json = nlohmann::json;
using Verdict = LedgerLine::Verdict;

Json row(const char* purpose, int bytes) {
  return {{"requester", "nic0"}, {"purpose", purpose}, {"data_bytes", bytes}};
}

/// A NIC that received 4 packets.
Json results() {
  Json all;
  all["complete"] = true;
  all["ledger"] = {
      {{"link", "nic0-sw0"},
       {"direction", "up"},
       {"farther", "nic0"},
       {"rows", {row("payload", 16384), row("header", 272), row("completion_entry", 128), row("control", 66)}}},
      {{"link", "nic0-sw0"}, {"direction", "down"}, {"farther", "nic0"}, {"rows", {row("descriptor", 1024)}}}};
  all["metrics"] = {{{"name", "nic0.rx_descriptors"}, {"value", 32}},
                    {{"name", "nic0.rx_descriptor_bytes"}, {"value", 1024}},
                    {{"name", "nic0.rx_completions"}, {"value", 4}},
                    {{"name", "nic0.rx_completion_bytes"}, {"value", 128}}};
  return all;
}

std::vector<LedgerLine> lines_of(const Json& a, const Json& b) {
  const auto lines = compare_ledgers(a.dump(), b.dump());
  EXPECT_TRUE(lines) << lines.error();
  return lines.value_or(std::vector<LedgerLine>{});
}

std::string different(const std::vector<LedgerLine>& lines) {
  std::string text;
  for (const auto& line : lines)
    if (line.verdict == Verdict::different) text += line.place + " " + line.kind + ";";
  return text;
}

Json& bytes(Json& results, int side, int place) { return results["ledger"][side]["rows"][place]["data_bytes"]; }

TEST(CompareLedgers, ARunEqualsItself) {
  const auto lines = lines_of(results(), results());
  EXPECT_EQ(different(lines), "");
  EXPECT_EQ(std::ranges::count(lines, Verdict::equal, &LedgerLine::verdict), 4) << "payload, header and two rings";
}

TEST(CompareLedgers, OneByteOfPayloadOrHeaderIsADifference) {
  auto other = results();
  bytes(other, 0, 0) = 16383;
  EXPECT_EQ(different(lines_of(results(), other)), "nic0-sw0 payload;");
  other = results();
  bytes(other, 0, 1) = 340;
  EXPECT_EQ(different(lines_of(results(), other)), "nic0-sw0 header;");
}

TEST(CompareLedgers, PayloadOnALinkThatTheOtherDidNotUseIsADifference) {
  auto other = results();
  other["ledger"].push_back(
      {{"link", "sw0-rc"}, {"direction", "up"}, {"farther", "sw0"}, {"rows", {row("payload", 4096)}}});
  EXPECT_EQ(different(lines_of(results(), other)), "sw0-rc payload;");
}

TEST(CompareLedgers, RetransmissionsAndControlAreReported) {
  auto other = results();
  other["ledger"][0]["rows"].push_back(row("retransmission", 4096));
  bytes(other, 0, 3) = 660;
  EXPECT_EQ(different(lines_of(results(), other)), "");
}

TEST(CompareLedgers, MoreDescriptorsOfTheSameSizeAreNone_AnotherSizeIsADifference) {
  auto other = results();
  bytes(other, 1, 0) = 2048;
  other["metrics"][0]["value"] = 64;
  other["metrics"][1]["value"] = 2048;
  EXPECT_EQ(different(lines_of(results(), other)), "");
  other["metrics"][0]["value"] = 128;
  EXPECT_EQ(different(lines_of(results(), other)), "nic0 rx_descriptor;");
}

TEST(CompareLedgers, TheLedgerMustHaveWhatTheNicCounted) {
  auto other = results();
  bytes(other, 1, 0) = 1056;
  const auto lines = compare_ledgers(results().dump(), other.dump());
  ASSERT_FALSE(lines);
  EXPECT_NE(lines.error().find("the second: nic0 counted 1024 B of descriptors"), std::string::npos) << lines.error();
  EXPECT_NE(lines.error().find("compare takes whole transfers: traffic with `bytes`"), std::string::npos)
      << lines.error();
}

TEST(CompareLedgers, RefusesWhatIsNoWholeRun) {
  EXPECT_FALSE(compare_ledgers("[", results().dump()));
  auto interrupted = results();
  interrupted["complete"] = false;
  EXPECT_FALSE(compare_ledgers(results().dump(), interrupted.dump()));
}

}  // namespace
}  // namespace peerpath::compare
