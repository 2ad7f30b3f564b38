// Fits the parameters of the model to measured points.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "validation/calibrate/model.hpp"

namespace peerpath::calibrate {

struct Estimate {
  std::string name, unit, meaning;
  double value = 0;
  double low = 0, high = 0;   ///< 95 % interval, from the curvature at the optimum and the scatter around it
  bool identifiable = false;  ///< the points say something about it: the interval is less than the value itself wide
  std::string why_not{};      ///< if not identifiable
};

struct Calibration {
  Parameters parameters;
  std::vector<Estimate> estimates;
  double rms = 0;          ///< root mean square of the fitted points' relative errors
  std::size_t points = 0;  ///< fitted
  /// Of a calibration that was read: the sentence that says what it was fitted to. Empty: to the dataset at hand.
  std::string provenance{};
};

/// Whether any of the points has a law.
bool can_fit(std::span<const compare::Point> points);

/// Least squares of log(predicted / measured) over `points`, with Ceres. The fit sees these points and nothing else;
/// whoever calls it chooses them (compare::fitted_points). Points without a law are left out;
/// there must be one with a law.
Calibration fit(const compare::GpuFacts& gpu, std::span<const compare::Point> points);

}  // namespace peerpath::calibrate
