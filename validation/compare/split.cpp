#include "validation/compare/split.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace peerpath::compare {
namespace {

constexpr std::int64_t both_ways = 3;

/// Settings that are an axis, the first one that a point has.
constexpr std::array<std::string_view, 6> axes{"bytes", "outstanding", "window", "chunk", "ways", "sleeping"};

std::string axis_of(const Point& point) {
  for (const auto axis : axes)
    if (point.settings.contains(std::string{axis})) return std::string{axis};
  return point.settings.begin()->first;
}

/// Of copies_together; 0 or 1 where nothing contends.
std::int64_t most_gpus_of(const Dataset& dataset) {
  std::int64_t most = 0;
  for (const auto& point : dataset.points)
    if (point.experiment == together) most = std::max(most, point.at("gpus"));
  return most;
}

}  // namespace

bool is_fitted_together(const Point& point, std::int64_t most_gpus) {
  const auto gpus = point.at("gpus");
  return gpus == most_gpus || (2 * gpus == most_gpus && point.at("ways") == both_ways);
}

std::vector<Curve> curves_of(const Dataset& dataset) {
  std::vector<Curve> curves;
  for (const auto& point : dataset.points) {
    const auto axis = axis_of(point);
    auto name = point.experiment;
    for (const auto& [setting, value] : point.settings)
      if (setting != axis) name += ", " + setting + " " + std::to_string(value);
    auto curve = std::ranges::find(curves, name, &Curve::name);
    if (curve == curves.end()) curve = curves.insert(curve, Curve{name, axis, {}, {}});
    curve->points.push_back(point);
  }
  const auto most_gpus = most_gpus_of(dataset);
  for (auto& curve : curves) {
    std::ranges::sort(curve.points, {}, [&](const Point& point) { return point.at(curve.axis); });
    for (std::size_t place = 0; place < curve.points.size(); ++place) {
      const auto& point = curve.points[place];
      const bool contends = point.experiment == together && most_gpus > 1;
      curve.fitted.push_back(contends ? is_fitted_together(point, most_gpus) : is_fitted(place));
    }
  }
  return curves;
}

std::vector<Point> fitted_points(const Dataset& dataset) {
  std::vector<Point> chosen;
  for (const auto& curve : curves_of(dataset))
    for (std::size_t place = 0; place < curve.points.size(); ++place)
      if (curve.fitted[place]) chosen.push_back(curve.points[place]);
  return chosen;
}

}  // namespace peerpath::compare
