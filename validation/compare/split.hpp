// Which points a calibration may see, and which are predicted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/compare/dataset.hpp"

namespace peerpath::compare {

/// The experiment in which several GPUs copy at once.
inline constexpr std::string_view together = "copies_together";

/// Points of one experiment that differ in one setting only, the one that varies fastest, in its order.
struct Curve {
  std::string name;  ///< "read_outstanding, request 64"
  std::string axis;  ///< "outstanding"
  std::vector<Point> points;
  std::vector<bool> fitted;  ///< for each point, whether a fit may see it
};

/// The last-named setting of an experiment is the axis; those with another value of the others are other curves.
std::vector<Curve> curves_of(const Dataset& dataset);

/// The rule: the third, sixth, ninth ... point of each curve. At most a third of all points, whatever the dataset.
constexpr bool is_fitted(std::size_t place) { return place % 3 == 2; }

/// The rule for copies by several GPUs at once (copies_together of a machine with two GPUs or more): all of the most
/// GPUs, and both ways of half as many. Of 1, 2 and 4 GPUs, to the device, from it and both ways, these are four of
/// nine.
bool is_fitted_together(const Point& point, std::int64_t most_gpus);

/// What a fit is given: the chosen points and nothing of the others.
std::vector<Point> fitted_points(const Dataset& dataset);

}  // namespace peerpath::compare
