#include "observe/metric_names.hpp"

#include "peerpath/base/nearest.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

using scenario::device_of;

Results skeleton(const scenario::Scenario& scenario) {
  Results results;
  for (const auto& traffic : scenario.traffic) {
    results.traffic.emplace_back();
    results.traffic.back().name = traffic.name;
  }
  for (const auto& link : scenario.links) {
    results.links.emplace_back();
    results.links.back().name = device_of(link.to) + "-" + device_of(link.from);
  }
  for (const auto& link : scenario.inter_socket) {
    results.links.emplace_back();
    results.links.back().name = link.to + "-" + link.from;
  }
  for (const auto& device : scenario.devices) {
    if (std::holds_alternative<device::HostCpuConfig>(device.config)) {
      results.cpus.emplace_back();
      results.cpus.back().name = device.name;
    }
    if (std::holds_alternative<device::HostMemoryConfig>(device.config) ||
        std::holds_alternative<device::GpuConfig>(device.config)) {
      results.memories.emplace_back();
      results.memories.back().name = device.name;
    }
    if (std::holds_alternative<device::GpuConfig>(device.config)) {
      results.windows.emplace_back();
      results.windows.back().gpu = device.name;
    }
  }
  return results;
}

}  // namespace

std::vector<Metric> expected_metrics(const scenario::Scenario& scenario) { return derive_metrics(skeleton(scenario)); }

Problem unknown_metric(const scenario::Scenario& scenario, std::size_t index, const std::vector<Metric>& metrics) {
  const auto& name = scenario.expect[index].metric;
  std::vector<std::string_view> names;
  for (const auto& metric : metrics) names.push_back(metric.name);
  const auto near = nearest(name, names);
  Problem problem;
  problem.key = "/expect/" + std::to_string(index) + "/metric";
  problem.message = "no metric is called \"" + name + "\"";
  problem.message +=
      near.empty() ? "; `peerpath list metrics SCENARIO` names them" : "; did you mean \"" + near + "\"?";
  return problem;
}

}  // namespace peerpath::observe
