#include "study/pcie/result_table.hpp"

#include <gtest/gtest.h>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::study {
namespace {

scenario::Scenario sample_scenario() {
  scenario::Scenario scenario;
  scenario.name = "sample";
  scenario.description = "made up";
  scenario.expect = {{"stream.goodput_gbps", 320.0, std::nullopt, std::nullopt, std::nullopt},
                     {"switch0-rc0.up.header_bytes", 0.0, std::nullopt, std::nullopt, std::nullopt}};
  return scenario;
}

std::string table_of(observe::Results results) {
  const auto scenario = sample_scenario();
  observe::finish(results, scenario);
  return result_table(results, scenario, Plain{});
}

TEST(ResultTable, ShowsEveryPart) {
  const auto text = table_of(observe::sample_results());
  for (const auto* part :
       {"sample: made up", "320.00", "nic0-switch0", "Gen5 x16", "nic0 -> switch0 -> gpu0", "1 of 4 cores",
        "busiest: nic0 Ethernet port, 98 %", "ok      stream.goodput_gbps", "FAILED  switch0-rc0.up.header_bytes"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("INCOMPLETE"), std::string::npos);
  EXPECT_EQ(text.find("doorbell"), std::string::npos) << "columns of zeros say nothing";
  EXPECT_EQ(text.find("\033["), std::string::npos) << "colour without a terminal";
}

TEST(ResultTable, ShowsTheFirstBreachesOfTheProtocolAndHowManyThereAre) {
  auto results = observe::sample_results();
  results.protocol.emplace(23, "ordering: somewhere");
  const auto text = table_of(results);
  EXPECT_NE(text.find("  ordering: somewhere\n  and 3 more, in run.json\n"), std::string::npos) << text;
}

TEST(ResultTable, SaysWhenTheRunWasInterruptedAndWhenBytesWereLost) {
  auto results = observe::sample_results();
  results.complete = false;
  results.conservation = {"switch0: lost"};
  const auto text = table_of(std::move(results));
  EXPECT_NE(text.find("INCOMPLETE"), std::string::npos);
  EXPECT_NE(text.find("BYTE LEDGER VIOLATED: switch0: lost"), std::string::npos);
}

}  // namespace
}  // namespace peerpath::study
