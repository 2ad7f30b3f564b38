#include "validation/calibrate/takes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/calibrate/assess.hpp"
#include "validation/calibrate/scenario_play.hpp"

namespace peerpath::calibrate {
namespace {

using nlohmann::ordered_json;

constexpr double nearly_all = 0.95;

/// True if every set has the point.
bool take_all(const compare::Point& point, std::span<const compare::Dataset> sets, Taken& taken) {
  taken.least = taken.most = point.median;
  return std::ranges::all_of(sets, [&](const compare::Dataset& set) {
    const auto same = std::ranges::find_if(set.points, [&](const compare::Point& other) {
      return other.experiment == point.experiment && other.settings == point.settings;
    });
    if (same == set.points.end()) return false;
    taken.least = std::min(taken.least, same->median);
    taken.most = std::max(taken.most, same->median);
    return true;
  });
}

ordered_json points_json(const std::vector<Taken>& points, double moves) {
  auto all = ordered_json::array();
  for (const auto& point : points)
    all.push_back({{"place", point.place},
                   {"least_ns", point.least},
                   {"most_ns", point.most},
                   {"least_error", point.least_error()},
                   {"least_error_if_it_moves", point.least_error(moves)}});
  return all;
}

}  // namespace

Takes takes_of(std::span<const compare::Dataset> sets) {
  Takes takes;
  takes.sets = sets.size();
  for (const auto& curve : compare::curves_of(sets.front()))
    for (std::size_t place = 0; place < curve.points.size(); ++place) {
      const auto& point = curve.points[place];
      const bool mixed = Model::law(point.experiment).empty();
      if (mixed ? !ScenarioPlay::plays(point) : !curve.fitted[place]) continue;
      Taken taken{curve.name + ", " + curve.axis + " " + std::to_string(point.at(curve.axis))};
      if (take_all(point, sets.subspan(1), taken)) (mixed ? takes.mixed : takes.told).push_back(std::move(taken));
    }
  return takes;
}

double spread_of(const std::vector<Taken>& points, double share) {
  if (points.empty()) return 0;
  std::vector<double> all;
  for (const auto& point : points) all.push_back(point.spread());
  std::ranges::sort(all);
  return all[static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size()))) - 1];
}

std::string to_text(const Takes& takes) {
  const auto moves = spread_of(takes.told, nearly_all);
  const auto line = [](const char* name, const std::vector<Taken>& points) {
    return fmt::format("  {} {} points: half differ by at most {:.1f} %, 95 % by {:.1f} %\n", points.size(), name,
                       100 * spread_of(points, 0.5), 100 * spread_of(points, nearly_all));
  };
  auto text = fmt::format("\n{} takes, greatest median to least\n", takes.sets) + line("fitted", takes.told) +
              line("mixed", takes.mixed);
  std::string beyond;
  for (const auto& point : takes.mixed)
    if (point.least_error() > most_mixed_worst)
      beyond += fmt::format("    {}: {:.4g} to {:.4g} ns: {:.1f} %, {:.1f} % where the prediction moves by {:.1f} %\n",
                            point.place, point.least, point.most, 100 * point.least_error(),
                            100 * point.least_error(moves), 100 * moves);
  if (beyond.empty())
    return text +
           fmt::format("  one prediction for all takes can be within {:g} % everywhere\n", 100 * most_mixed_worst);
  return text + "  one prediction for all takes is off, for one of them, by at least\n" + beyond;
}

std::string to_json(const Takes& takes) {
  const auto moves = spread_of(takes.told, nearly_all);
  const ordered_json json{{"takes", takes.sets},
                          {"fitted_spread_median", spread_of(takes.told, 0.5)},
                          {"fitted_spread_95", moves},
                          {"mixed_spread_median", spread_of(takes.mixed, 0.5)},
                          {"mixed_spread_95", spread_of(takes.mixed, nearly_all)},
                          {"mixed", points_json(takes.mixed, moves)}};
  return json.dump(2) + "\n";
}

}  // namespace peerpath::calibrate
