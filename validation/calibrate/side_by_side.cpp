// The scenario with the preset beside the laws, point by point.
#include <algorithm>
#include <cmath>

#include "validation/calibrate/assess.hpp"
#include "validation/calibrate/scenario_play.hpp"

namespace peerpath::calibrate {
namespace {

double median_of(std::vector<double> errors) {
  if (errors.empty()) return 0;
  std::ranges::sort(errors);
  return errors[(errors.size() - 1) / 2];
}

}  // namespace

bool ScenarioScore::passed() const {
  const bool taken_again = repeated + unrepeated.size() > 0;
  return worst_from_laws <= most_from_laws && median <= laws + most_worse &&
         (taken_again ? repeated_median : mixed_median) <= most_mixed_median &&
         (taken_again ? repeated_worst : mixed_worst) <= most_mixed_worst;
}

void play_scenarios(Assessment& assessment, const compare::Dataset& dataset, const std::string& preset,
                    const std::function<void(const std::string&)>& say) {
  const ScenarioPlay scenarios{preset};
  auto& score = assessment.scenario;
  std::vector<double> scenario_errors, law_errors, mixed_errors;
  for (const auto& curve : compare::curves_of(dataset)) {
    if (say) say("playing " + curve.name);
    const auto with_law = std::ranges::find(assessment.curves, curve.name, &CurveRows::name);
    CurveRows alone{curve.name, curve.axis, "", {}};
    for (std::size_t place = 0; place < curve.points.size(); ++place) {
      const auto& p = curve.points[place];
      const auto ns = scenarios.play(p);
      if (!ns) break;
      if (with_law == assessment.curves.end()) {
        alone.rows.push_back({p.at(curve.axis), p.median, 0, p.p10, p.p90, p.bytes, false, *ns});
        mixed_errors.push_back(std::abs(alone.rows.back().scenario_error()));
        continue;
      }
      auto& row = with_law->rows[place];
      row.scenario = *ns;
      ++score.points;
      if (std::abs(row.from_law()) > score.worst_from_laws) {
        score.worst_from_laws = std::abs(row.from_law());
        score.worst_place = curve.name + ", " + curve.axis + " " + std::to_string(row.at);
      }
      if (row.fitted) continue;
      scenario_errors.push_back(std::abs(row.scenario_error()));
      law_errors.push_back(std::abs(row.error()));
    }
    if (alone.rows.empty()) continue;
    std::erase(assessment.not_modelled, curve.points.front().experiment);
    assessment.mixed.push_back(std::move(alone));
  }
  assessment.link_bytes = compare_link_bytes(dataset, preset);
  for (const auto& row : assessment.link_bytes) std::erase(assessment.not_modelled, row.experiment);
  score.median = median_of(scenario_errors);
  score.laws = median_of(law_errors);
  score.mixed = mixed_errors.size();
  score.mixed_median = median_of(mixed_errors);
  score.mixed_worst = mixed_errors.empty() ? 0 : std::ranges::max(mixed_errors);
}

double Row::unrepeated() const {
  if (again.empty()) return 0;
  const auto [least, most] = std::ranges::minmax(again);
  return std::max(most, measured) / std::min(least, measured) - 1;
}

void add_takes(Assessment& assessment, std::span<const compare::Dataset> others) {
  auto& score = assessment.scenario;
  std::vector<double> errors;
  std::vector<std::vector<compare::Curve>> takes;
  for (const auto& other : others) takes.push_back(compare::curves_of(other));
  for (auto& curve : assessment.mixed)
    for (auto& row : curve.rows) {
      for (const auto& take : takes) {
        const auto same_curve = std::ranges::find(take, curve.name, &compare::Curve::name);
        if (same_curve == take.end()) continue;
        for (const auto& p : same_curve->points)
          if (p.at(curve.axis) == row.at) row.again.push_back(p.median);
      }
      if (row.again.empty()) continue;
      if (row.unrepeated() > most_unrepeated)
        score.unrepeated.push_back(curve.name + ", " + curve.axis + " " + std::to_string(row.at));
      else
        errors.push_back(std::abs(row.scenario_error()));
    }
  score.repeated = errors.size();
  score.repeated_median = median_of(errors);
  score.repeated_worst = errors.empty() ? 0 : std::ranges::max(errors);
}

}  // namespace peerpath::calibrate
