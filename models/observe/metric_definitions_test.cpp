#include "observe/metric_definitions.hpp"

#include <gtest/gtest.h>

#include "observe/sample_results.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

TEST(MetricDefinitions, CoverWhateverIsDerived) {
  auto results = sample_results();
  results.windows.push_back({"gpu0", 1_GiB, 0_B, 0_B, {}, 0, {}});
  for (const auto& metric : derive_metrics(results)) {
    const auto text = explain_metric(metric.name);
    ASSERT_TRUE(text) << metric.name;
    EXPECT_NE(text->find(metric.unit == "1" ? "a number" : metric.unit), std::string::npos) << metric.name << *text;
  }
}

TEST(MetricDefinitions, SayFromWhichEventToWhich) {
  const auto text = explain_metric("rx.latency_p99_ns");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("from: receive: the last bit of the frame"), std::string::npos) << *text;
  EXPECT_NE(text->find("until: receive: the application can use the whole packet"), std::string::npos) << *text;
}

TEST(MetricDefinitions, HaveTwoQuantilesOfEachStage) {
  EXPECT_EQ(*explain_metric("rx.latency_sweep_p99_ns"),
            "<traffic>.latency_sweep_p99_ns: ns\n    99th percentile of gpunet stage sweep: waiting until the proxy or "
            "program polls.\n    from: the data is in host memory\n    until: the proxy, or the program, has it\n");
  EXPECT_TRUE(explain_metric("latency_pipeline_p50_ns"));
  EXPECT_FALSE(explain_metric("latency_pipeline_p90_ns"));
  EXPECT_EQ(nearest_metric("rx.latency_pipline_p99_ns"), "rx.latency_pipeline_p99_ns");
}

TEST(MetricDefinitions, TellOwnersApart) {
  EXPECT_EQ(explain_metric("sw0-rc.up.utilisation_percent")->find("<host_cpu>"), std::string::npos);
  EXPECT_EQ(explain_metric("cpu0.utilisation_percent")->find("<link>"), std::string::npos);
  EXPECT_TRUE(explain_metric("nic0.dropped_fifo_full"));
  EXPECT_FALSE(explain_metric("nic0.no_such_thing"));
}

TEST(MetricDefinitions, SuggestTheNearest) { EXPECT_EQ(nearest_metric("rx.godput_gbps"), "rx.goodput_gbps"); }

}  // namespace
}  // namespace peerpath::observe
