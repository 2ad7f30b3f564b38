// Which points a calibration may see, and which are predicted.
#pragma once

#include <string>
#include <vector>

#include "validation/compare/dataset.hpp"

namespace peerpath::compare {

/// Points of one experiment that differ in one setting only, the one that varies fastest, in its order.
struct Curve {
  std::string name;  ///< "read_outstanding, request 64"
  std::string axis;  ///< "outstanding"
  std::vector<Point> points;
};

/// The last-named setting of an experiment is the axis; those with another value of the others are other curves.
std::vector<Curve> curves_of(const Dataset& dataset);

/// The rule: the third, sixth, ninth ... point of each curve. At most a third of all points, whatever the dataset.
constexpr bool is_fitted(std::size_t place) { return place % 3 == 2; }

/// What a fit is given: the chosen points and nothing of the others.
std::vector<Point> fitted_points(const Dataset& dataset);

}  // namespace peerpath::compare
