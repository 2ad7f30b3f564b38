// What the predictions of a host are held to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/pcie_bench/host_data.hpp"

namespace peerpath::pcie_bench {

struct Prediction {
  Point point;
  double predicted = 0;
  bool fitted = false;

  /// Relative, positive if the model is too fast (bandwidth) or too slow (latency).
  double error() const { return predicted / point.measured - 1; }
};

/// One criterion: the largest or median error of a group of points, in percent, or steps with the wrong sign.
struct Criterion {
  std::string name;
  int points = 0;
  double value = 0, allowed = 0;
  bool passed() const { return points > 0 && value <= allowed; }
};

/// Reads of a host whose MRRS takes the largest transfer whole are held tighter than those of one that cuts them.
inline constexpr Bytes whole_transfers{2048};

std::vector<Criterion> judge(const Setup& setup, const std::vector<Prediction>& predictions);

/// What the model leaves out where a point is more than 5 % off: an interpretation of the curves, not a measurement.
std::string_view cause(const Setup& setup, const Prediction& prediction);
inline constexpr double needs_cause = 0.05;

}  // namespace peerpath::pcie_bench
