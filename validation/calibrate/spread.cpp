#include "validation/calibrate/spread.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/calibrate/assess.hpp"
#include "validation/calibrate/scenario_play.hpp"

namespace peerpath::calibrate {
namespace {

using nlohmann::ordered_json;
using Key = std::pair<std::string, std::map<std::string, std::int64_t>>;

Key key_of(const compare::Point& point) { return {point.experiment, point.settings}; }

ToldBy told_by(const compare::Point& point, bool fitted) {
  if (!Model::law(point.experiment).empty()) return fitted ? ToldBy::fit : ToldBy::law;
  return ScenarioPlay::plays(point) ? ToldBy::scenario : ToldBy::nothing;
}

std::string file_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

std::string line(const std::string& name, const std::vector<SpreadRow>& rows) {
  const auto score = score_of(rows);
  return fmt::format("  {:<26} {:>6} {:>8.1f} {:>8.1f} {:>8.1f}\n", name, score.points, 100 * score.median,
                     100 * score.p95, 100 * score.worst);
}

/// A line for each experiment, of points that stand together.
std::string experiment_lines(const Spread& spread) {
  std::string text;
  std::vector<SpreadRow> same;
  for (std::size_t n = 0; n < spread.rows.size(); ++n) {
    same.push_back(spread.rows[n]);
    if (n + 1 < spread.rows.size() && spread.rows[n + 1].experiment == same.front().experiment) continue;
    text += line(same.front().experiment, same);
    same.clear();
  }
  return text;
}

std::string rate_lines(const Spread& spread) {
  std::string text;
  for (const auto& row : spread.rows) {
    if (row.experiment != compare::together) continue;
    std::string rates;
    for (const auto ns : row.medians)
      rates += fmt::format("{}{:.1f}", rates.empty() ? "" : ", ", static_cast<double>(row.bytes) / ns);
    text += fmt::format("  {}: {} GB/s, {:.1f} %\n", row.place, rates, 100 * row.spread());
  }
  return text;
}

/// What the mixed points leave to a prediction, which may move between takes as far as the fitted points do.
std::string least_errors(const std::vector<SpreadRow>& mixed, double moves) {
  if (mixed.empty()) return "";
  std::string beyond;
  for (const auto& row : mixed)
    if (row.least_error() > most_mixed_worst)
      beyond += fmt::format("    {}: {:.4g} to {:.4g} ns: {:.1f} %, {:.1f} % where the prediction moves by {:.1f} %\n",
                            row.place, row.least(), row.most(), 100 * row.least_error(), 100 * row.least_error(moves),
                            100 * moves);
  if (beyond.empty())
    return fmt::format("  one prediction for all takes can be within {:g} % of the mixed points everywhere\n",
                       100 * most_mixed_worst);
  return "  one prediction for all takes is off, for one of them, by at least\n" + beyond;
}

ordered_json score_json(const std::vector<SpreadRow>& rows) {
  const auto score = score_of(rows);
  return {{"points", score.points}, {"median", score.median}, {"p95", score.p95}, {"worst", score.worst}};
}

}  // namespace

double SpreadRow::least() const { return std::ranges::min(medians); }
double SpreadRow::most() const { return std::ranges::max(medians); }

double SpreadRow::least_error(double moves) const {
  const auto ratio = most() / least() / (1 + moves);
  return ratio > 1 ? (ratio - 1) / (ratio + 1) : 0;
}

std::vector<SpreadRow> Spread::rows_told_by(ToldBy what) const {
  std::vector<SpreadRow> found;
  std::ranges::copy_if(rows, std::back_inserter(found), [&](const auto& row) { return row.told_by == what; });
  return found;
}

Spread spread_of(std::span<const compare::Dataset> takes) {
  Spread spread;
  std::set<Key> all;
  std::vector<std::map<Key, double>> medians;
  for (const auto& take : takes) {
    spread.files.push_back(file_name(take.file));
    auto& of_take = medians.emplace_back();
    for (const auto& point : take.points) of_take.emplace(key_of(point), point.median), all.insert(key_of(point));
  }
  for (const auto& curve : compare::curves_of(takes.front()))
    for (std::size_t place = 0; place < curve.points.size(); ++place) {
      const auto& point = curve.points[place];
      const auto key = key_of(point);
      if (!std::ranges::all_of(medians, [&](const auto& of_take) { return of_take.contains(key); })) continue;
      SpreadRow row{point.experiment, fmt::format("{}, {} {}", curve.name, curve.axis, point.at(curve.axis)),
                    told_by(point, curve.fitted[place]), point.bytes};
      for (const auto& of_take : medians) row.medians.push_back(of_take.at(key));
      spread.rows.push_back(std::move(row));
    }
  spread.not_in_all = all.size() - spread.rows.size();
  return spread;
}

SpreadScore score_of(const std::vector<SpreadRow>& rows) {
  if (rows.empty()) return {};
  std::vector<double> all;
  for (const auto& row : rows) all.push_back(row.spread());
  std::ranges::sort(all);
  const auto rank = [&](double share) {
    return all[static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size()))) - 1];
  };
  return {all.size(), rank(0.5), rank(0.95), all.back()};
}

std::string to_text(const Spread& spread) {
  std::string files;
  for (const auto& file : spread.files) files += (files.empty() ? "" : ", ") + file;
  auto text = fmt::format("\nspread of {}: greatest median to least\n  {:<26} {:>6} {:>8} {:>8} {:>8}\n", files,
                          "experiment", "points", "median %", "95 % <", "worst %");
  const auto fitted = spread.rows_told_by(ToldBy::fit), mixed = spread.rows_told_by(ToldBy::scenario);
  text += experiment_lines(spread) + line("all", spread.rows);
  if (!fitted.empty()) text += line("of them fitted", fitted);
  if (!mixed.empty()) text += line("of them mixed", mixed);
  text += rate_lines(spread);
  if (spread.not_in_all > 0) text += fmt::format("  {} points are not in all of them\n", spread.not_in_all);
  return text + least_errors(mixed, score_of(fitted).p95);
}

std::string to_json(const Spread& spread) {
  const auto fitted = spread.rows_told_by(ToldBy::fit);
  const auto moves = score_of(fitted).p95;
  ordered_json json{{"files", spread.files},           {"all", score_json(spread.rows)},
                    {"fitted", score_json(fitted)},    {"mixed", score_json(spread.rows_told_by(ToldBy::scenario))},
                    {"not_in_all", spread.not_in_all}, {"points", ordered_json::array()}};
  for (const auto& row : spread.rows) {
    ordered_json point{{"place", row.place}, {"ns", row.medians}, {"spread", row.spread()}};
    if (row.told_by == ToldBy::scenario) {
      point["least_error"] = row.least_error();
      point["least_error_if_it_moves"] = row.least_error(moves);
    }
    json["points"].push_back(std::move(point));
  }
  return json.dump(2) + "\n";
}

}  // namespace peerpath::calibrate
