#include "validation/compare/split.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace peerpath::compare {
namespace {

/// Settings that are an axis, the first one that a point has.
constexpr std::array<std::string_view, 6> axes{"bytes", "outstanding", "window", "chunk", "ways", "sleeping"};

std::string axis_of(const Point& point) {
  for (const auto axis : axes)
    if (point.settings.contains(std::string{axis})) return std::string{axis};
  return point.settings.begin()->first;
}

}  // namespace

std::vector<Curve> curves_of(const Dataset& dataset) {
  std::vector<Curve> curves;
  for (const auto& point : dataset.points) {
    const auto axis = axis_of(point);
    auto name = point.experiment;
    for (const auto& [setting, value] : point.settings)
      if (setting != axis) name += ", " + setting + " " + std::to_string(value);
    auto curve = std::ranges::find(curves, name, &Curve::name);
    if (curve == curves.end()) curve = curves.insert(curve, Curve{name, axis, {}});
    curve->points.push_back(point);
  }
  for (auto& curve : curves)
    std::ranges::sort(curve.points, {}, [&](const Point& point) { return point.at(curve.axis); });
  return curves;
}

std::vector<Point> fitted_points(const Dataset& dataset) {
  std::vector<Point> chosen;
  for (const auto& curve : curves_of(dataset))
    for (std::size_t place = 0; place < curve.points.size(); ++place)
      if (is_fitted(place)) chosen.push_back(curve.points[place]);
  return chosen;
}

}  // namespace peerpath::compare
