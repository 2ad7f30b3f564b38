// What the model says about a published figure: one named law for each kind of figure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace peerpath::published {

/// A point of pcie-bench's files: of a window sweep if a window is named, else of the sizes.
struct BenchQuery {
  std::string host, test;
  std::int64_t size = 0;
  std::optional<std::int64_t> window{};
  std::string cache{};
};

struct BenchPoint {
  double predicted = 0, measured = 0;
  bool fitted = false;
};

/// Where the laws find what was computed elsewhere.
struct Sources {
  /// A point that was predicted; nothing if there is no such point.
  std::function<std::optional<BenchPoint>(const BenchQuery&)> pcie_bench;
  /// A metric of a scenario that the model runs; nothing if there is no such scenario or metric.
  std::function<std::optional<double>(const std::string& scenario, const std::string& metric)> run;
};

/// The points of pcie-bench, and the scenarios, that laws with these inputs ask for.
struct Asked {
  std::vector<BenchQuery> points;
  std::set<std::string> scenarios;
  void add(const nlohmann::json& inputs);
};

struct Answer {
  double predicted = 0;
  std::optional<double> measured;  ///< where the figure is read from raw data that the project holds
  bool fitted = false;             ///< a parameter came from this very number: it must not count
};

/// The law's answer, or why there is none: no such law, an input missing, no such point.
struct Outcome {
  std::optional<Answer> answer;
  std::string why_not;
};

Outcome apply(const std::string& law, const nlohmann::json& inputs, const Sources& sources);

}  // namespace peerpath::published
