#include "peerpath/observe/finish.hpp"

#include <iterator>

#include "observe/assumptions.hpp"
#include "observe/metric_names.hpp"

namespace peerpath::observe {

const Metric* find_metric(const Results& results, const std::string& name) {
  for (const auto& metric : results.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

Problems finish(Results& results, const scenario::Scenario& scenario) {
  auto metrics = derive_metrics(results);
  std::move(results.metrics.begin(), results.metrics.end(), std::back_inserter(metrics));
  results.metrics = std::move(metrics);
  for (const auto& interval : results.steady.intervals)
    for (auto& metric : results.metrics)
      if (metric.name == interval.metric && metric.value) metric.half_width = interval.half_width;
  results.ways.clear();
  for (const auto& traffic : results.traffic) results.ways.push_back(describe_way(results, traffic));
  results.utilisation = rank_utilisation(results);
  find_bottleneck(results, scenario);
  results.flattered = flattering_assumptions(results, scenario);
  results.expectations.clear();
  Problems problems;
  for (std::size_t n = 0; n < scenario.expect.size(); ++n) {
    if (auto verdict = judge(results, scenario.expect[n]))
      results.expectations.push_back(std::move(*verdict));
    else
      problems.push_back(unknown_metric(scenario, n, results.metrics));
  }
  return problems;
}

}  // namespace peerpath::observe
