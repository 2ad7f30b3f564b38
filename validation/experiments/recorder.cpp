#include "validation/experiments/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "validation/experiments/json_line.hpp"

namespace peerpath::experiments {
namespace {

std::string settings_json(const Settings& settings) {
  JsonLine line;
  for (const auto& [name, value] : settings.values) line.add(name, value);
  return line.text();
}

}  // namespace

double quantile(std::span<const double> sorted, double share) {
  const auto place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

void Recorder::point(const Experiment& experiment, const Settings& settings, const Measurement& measurement) {
  if (!measurement.correct || measurement.ns.empty())
    return failure(experiment, settings, measurement.ns.empty() ? "no samples" : "the data that arrived is wrong");
  auto ns = measurement.ns;
  std::ranges::sort(ns);
  const auto median = quantile(ns, 0.5);
  JsonLine line;
  line.add("point", ++number_).add("experiment", experiment.name).add_raw("settings", settings_json(settings));
  line.add("unit", "ns").add("median", median);
  line.add("least", ns.front()).add("p10", quantile(ns, 0.1)).add("p90", quantile(ns, 0.9)).add("most", ns.back());
  line.add("samples", static_cast<std::int64_t>(ns.size()));
  if (measurement.bytes > 0)
    line.add("bytes", measurement.bytes)
        .add("rate_unit", "GB/s")
        .add("rate", static_cast<double>(measurement.bytes) / median);
  if (!measurement.counted.empty()) {
    JsonLine counted;
    for (const auto& [name, value] : measurement.counted) counted.add(name, value);
    line.add_raw("counted", counted.text());
  }
  this->line(line.text());
  ++points_;
}

void Recorder::failure(const Experiment& experiment, const Settings& settings, const std::string& reason) {
  ++failures_;
  line(JsonLine{}
           .add("point", ++number_)
           .add("experiment", experiment.name)
           .add_raw("settings", settings_json(settings))
           .add("failed", reason)
           .text());
}

void Recorder::end(double seconds, const std::map<std::string, double>& spent) {
  JsonLine by_experiment;
  for (const auto& [name, of_it] : spent) by_experiment.add(name, std::round(1000 * of_it) / 1000);
  line(JsonLine{}
           .add("end", number_)
           .add("failed", failures_)
           .add("seconds", seconds)
           .add_raw("seconds_of", by_experiment.text())
           .text());
}

}  // namespace peerpath::experiments
