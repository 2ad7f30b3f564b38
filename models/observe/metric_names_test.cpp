#include "observe/metric_names.hpp"

#include <gtest/gtest.h>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::observe {
namespace {

/// The scenario that sample_results() would be a run of.
scenario::Scenario sample_scenario() {
  scenario::Scenario scenario;
  scenario.devices = {{"rc0", device::RootComplexConfig{}}, {"dram0", device::HostMemoryConfig{}},
                      {"cpu0", device::HostCpuConfig{}},    {"switch0", device::SwitchConfig{}},
                      {"nic0", device::NicConfig{}},        {"gpu0", device::DmaCardConfig{}}};
  for (const auto& [from, to] : {std::pair{"rc0", "switch0"}, {"switch0.1", "nic0"}, {"switch0.2", "gpu0"}}) {
    scenario.links.emplace_back();
    scenario.links.back().from = from;
    scenario.links.back().to = to;
  }
  scenario.traffic.emplace_back();
  scenario.traffic.back().name = "stream";
  return scenario;
}

TEST(MetricNames, AreThoseOfTheRun) {
  auto expected = expected_metrics(sample_scenario());
  auto found = derive_metrics(sample_results());
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t n = 0; n < found.size(); ++n) EXPECT_EQ(expected[n].name, found[n].name);
}

/// What the loader has against an expectation of this metric.
std::string complaint(const std::string& metric) {
  auto scenario = sample_scenario();
  scenario.expect.emplace_back();
  scenario.expect.back().metric = metric;
  scenario.expect.back().equals = 0;
  for (const auto& problem : scenario::check(scenario))
    if (problem.key.starts_with("/expect")) return problem.message;
  return "";
}

TEST(MetricNames, TheLoaderKnowsThem) {
  for (const auto& metric : expected_metrics(sample_scenario())) EXPECT_EQ(complaint(metric.name), "") << metric.name;
  EXPECT_NE(complaint("stream.goodput_gpbs"), "");
  EXPECT_NE(complaint("switch0-rc0.up.nothing"), "");
}

}  // namespace
}  // namespace peerpath::observe
