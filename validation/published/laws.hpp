// What the model says about a published figure: one named law for each kind of figure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace peerpath::published {

/// Where the laws find what was computed elsewhere.
struct Sources {
  /// The JSON document of `peerpath validate pcie-bench`.
  std::function<const nlohmann::json&()> pcie_bench;
  /// A metric of a scenario that the model runs; nothing if there is no such scenario or metric.
  std::function<std::optional<double>(const std::string& scenario, const std::string& metric)> run;
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
