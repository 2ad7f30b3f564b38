#include <gtest/gtest.h>

#include <set>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

std::string text_of(const Results& results, const std::string& name) {
  const auto* metric = find_metric(results, name);
  if (metric == nullptr) return "no such metric";
  return metric->value ? to_string(*metric->value) + " " + metric->unit : "none";
}

TEST(Metrics, AreNamedAndComputedAsDocumented) {
  auto results = sample_results();
  finish(results, {});
  EXPECT_EQ(text_of(results, "stream.goodput_gbps"), "320 Gb/s");
  EXPECT_EQ(text_of(results, "stream.payload_bytes"), "400000 B");
  EXPECT_EQ(text_of(results, "stream.loss_percent"), "0 %");
  EXPECT_EQ(text_of(results, "stream.latency_max_ns"), "1000 ns");
  EXPECT_EQ(text_of(results, "switch0-rc0.up.payload_bytes"), "0 B");
  EXPECT_EQ(text_of(results, "switch0-rc0.up.header_bytes"), "800 B");
  EXPECT_EQ(text_of(results, "nic0-switch0.up.payload_bytes"), "400000 B");
  EXPECT_EQ(text_of(results, "nic0-switch0.up.overhead_bytes"), "34000 B");
  EXPECT_EQ(text_of(results, "nic0-switch0.up.tlps"), "1700 1");
  EXPECT_EQ(text_of(results, "nic0-switch0.up.utilisation_percent"), "80 %");
  EXPECT_EQ(text_of(results, "nic0-switch0.down.dllp_bytes"), "400 B");
  EXPECT_EQ(text_of(results, "nic0-switch0.payload_crossings"), "1 1");
  EXPECT_EQ(text_of(results, "switch0-rc0.payload_crossings"), "0 1");
  EXPECT_EQ(text_of(results, "cpu0.cores_busy"), "1 cores");
  EXPECT_EQ(text_of(results, "cpu0.busiest_core_percent"), "70 %");
  EXPECT_EQ(text_of(results, "cpu0.utilisation_percent"), "25 %");
  EXPECT_EQ(text_of(results, "dram0.written_bytes"), "800 B");
  EXPECT_EQ(text_of(results, "nic0.interrupts"), "3 1");
  EXPECT_EQ(text_of(results, "run.simulated_ns"), "10000 ns");
}

TEST(Metrics, NamesAreUnique) {
  auto results = sample_results();
  finish(results, {});
  std::set<std::string> names;
  for (const auto& metric : results.metrics) EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
}

TEST(Metrics, DllpsCountAsLinkTime) {
  auto results = sample_results();
  // 50 DLLPs of 8 B at 500 Gb/s take 6.4 ns of 10 us.
  finish(results, {});
  EXPECT_EQ(text_of(results, "nic0-switch0.down.utilisation_percent"), "0.064 %");
  auto flaky = sample_results();
  flaky.links[1].down.replaying = 2us;
  finish(flaky, {});
  EXPECT_EQ(text_of(flaky, "nic0-switch0.down.utilisation_percent"), "20.064 %") << "replays take the line";
}

TEST(Metrics, AnEmptyRunHasNoDivisionByZero) {
  auto results = sample_results();
  results.window = Duration{0};
  results.traffic[0].delivered_payload = Bytes{0};
  results.traffic[0].offered_packets = 0;
  finish(results, {});
  EXPECT_EQ(text_of(results, "stream.goodput_gbps"), "0 Gb/s");
  EXPECT_EQ(text_of(results, "nic0-switch0.payload_crossings"), "0 1");
}

}  // namespace
}  // namespace peerpath::observe
