// The page of a sweep: heat map, Pareto front, sensitivities, and every point as a row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/report/html.hpp"

namespace peerpath::report {

struct SweepPoint {
  std::size_t number = 0;
  std::vector<std::string> values;  ///< by key, as they were written
  std::string status, bottleneck;
  /// The figure of the sweep, and the worst 99th percentile of all latencies in ns; nothing where a point has none.
  std::optional<double> value, latency;
  std::string message{};  ///< why its status is not ok
};

struct SweepSummary {
  std::string scenario;
  std::string figure = "goodput", unit = "Gb/s";  ///< of `value`: goodput of all traffic, or a metric by its name
  std::vector<std::string> keys;
  std::size_t points = 0;  ///< that the sweep has; `rows` holds those that ran
  std::vector<SweepPoint> rows;
};

std::string sweep_page(const SweepSummary& sweep);

}  // namespace peerpath::report
