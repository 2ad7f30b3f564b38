#include "validation/calibrate/assess.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/calibrate/preset.hpp"

namespace peerpath::calibrate {
namespace {

using nlohmann::ordered_json;

std::string score_text(const Assessment& a) {
  const auto& s = a.score;
  const auto fitted =
      a.fitted == 0
          ? "none fitted"
          : fmt::format("{} fitted{} (third, sixth, ... of each curve{})", a.fitted,
                        a.calibration.provenance.empty() ? "" : " by that calibration",
                        a.contention.rows.empty() ? "" : "; of several GPUs all at once and half of them both ways");
  auto text = fmt::format(
      "\n{} points measured, {}, {} predicted: median error {:.1f} % (allowed {:g}), 95 % below {:.1f} % (allowed "
      "{:g}), "
      "worst {:.1f} %, {} within the measured spread\n",
      a.measured, fitted, s.points, 100 * s.median, 100 * most_median, 100 * s.p95, 100 * most_p95, 100 * s.worst,
      s.within_spread);
  if (!a.not_modelled.empty()) {
    text += "not modelled (software and the GPU's front end):";
    for (const auto& name : a.not_modelled) text += " " + name;
    text += "\n";
  }
  return text;
}

std::string scenario_heading(const CurveRows& curve) {
  const bool played = !curve.rows.empty() && curve.rows.front().scenario > 0;
  return played ? fmt::format(" {:>12} {:>8} {:>8}", "scenario ns", "error", "to law") : "";
}

std::string scenario_text(const Row& row) {
  if (row.scenario <= 0) return "";
  return fmt::format(" {:>12.1f} {:>+7.1f}% {:>+7.2f}%", row.scenario, 100 * row.scenario_error(),
                     100 * row.from_law());
}

std::string again_text(const Row& row) {
  if (row.again.empty()) return "";
  std::string text = "   again";
  for (const auto ns : row.again) text += fmt::format(" {:.1f}", ns);
  return text + (row.unrepeated() > most_unrepeated ? ": does not repeat" : "");
}

/// What no law predicts, by the scenario alone.
std::string mixed_text(const Assessment& a) {
  std::string text;
  for (const auto& curve : a.mixed) {
    text += fmt::format("\n{}\n  by the scenario alone; nothing of it was fitted\n  {:>12}   {:>12} {:>12} {:>8}\n",
                        curve.name, curve.axis, "measured ns", "scenario ns", "error");
    for (const auto& row : curve.rows)
      text += fmt::format("  {:>12}   {:>12.1f} {:>12.1f} {:>+7.1f}%{}\n", row.at, row.measured, row.scenario,
                          100 * row.scenario_error(), again_text(row));
  }
  return text;
}

std::string repeated_text(const ScenarioScore& s) {
  if (s.repeated + s.unrepeated.size() == 0) return "";
  auto text = fmt::format("  {} of them repeat within {:g} % and count: median error {:.1f} %, worst {:.1f} %\n",
                          s.repeated, 100 * most_unrepeated, 100 * s.repeated_median, 100 * s.repeated_worst);
  for (const auto& place : s.unrepeated) text += "  does not repeat: " + place + "\n";
  return text;
}

std::string scenario_score_text(const ScenarioScore& s) {
  if (s.points == 0) return "";
  auto text = fmt::format(
      "scenario with the preset: {} points, within {:.2f} % of the laws (allowed {:g}; worst at {}), median error "
      "{:.2f} % where the laws "
      "have {:.2f} % (allowed {:g} more)\n",
      s.points, 100 * s.worst_from_laws, 100 * most_from_laws, s.worst_place, 100 * s.median, 100 * s.laws,
      100 * most_worse);
  if (s.mixed > 0)
    text += fmt::format(
        "mixed, by the scenario alone: {} points, median error {:.1f} % (allowed {:g}), worst {:.1f} % (allowed "
        "{:g})\n",
        s.mixed, 100 * s.mixed_median, 100 * most_mixed_median, 100 * s.mixed_worst, 100 * most_mixed_worst);
  return text + repeated_text(s);
}

std::string interval_text(const Estimate& e) {
  if (!e.identifiable) return "not identifiable";
  return e.low == e.high ? "" : fmt::format("{:.4g} .. {:.4g}", e.low, e.high);
}

ordered_json row_json(const Row& row) {
  ordered_json json{{"at", row.at},
                    {"measured_ns", row.measured},
                    {"predicted_ns", row.predicted},
                    {"error", row.error()},
                    {"p10_ns", row.p10},
                    {"p90_ns", row.p90},
                    {"fitted", row.fitted},
                    {"within_spread", row.within_spread()}};
  if (row.bytes > 0) json["bytes"] = row.bytes;
  if (row.scenario > 0) {
    json["scenario_ns"] = row.scenario;
    json["scenario_error"] = row.scenario_error();
  }
  return json;
}

}  // namespace

Score score_of(const std::vector<CurveRows>& curves) {
  Score score;
  std::vector<double> errors;
  for (const auto& curve : curves)
    for (const auto& row : curve.rows) {
      if (row.fitted) continue;
      errors.push_back(std::abs(row.error()));
      score.within_spread += row.within_spread() ? 1 : 0;
    }
  score.points = errors.size();
  if (errors.empty()) return score;
  std::ranges::sort(errors);
  const auto rank = [&](double share) {
    const auto place = std::ceil(share * static_cast<double>(errors.size()));
    return errors[static_cast<std::size_t>(place) - 1];
  };
  score.median = rank(0.5);
  score.p95 = rank(0.95);
  score.worst = errors.back();
  return score;
}

Assessment assess(const compare::Dataset& dataset, const Calibration& calibration) {
  Assessment a;
  a.calibration = calibration;
  a.dataset = dataset.file.substr(dataset.file.rfind('/') + 1);
  a.gpu = dataset.gpus.front().name;
  a.started = dataset.started;
  a.measured = dataset.points.size();
  Model model{dataset.gpus.front()};
  auto curves = compare::curves_of(dataset);
  if (is_fitted_to(calibration, dataset))
    a.fitted = calibration.points;
  else
    for (auto& curve : curves) curve.fitted.assign(curve.fitted.size(), false);
  a.contention = contention_of(curves, model, calibration.parameters);
  for (const auto& curve : curves) {
    const auto& experiment = curve.points.front().experiment;
    CurveRows rows{curve.name, curve.axis, std::string{Model::law(experiment)}, {}};
    if (rows.law.empty()) {
      if (std::ranges::find(a.not_modelled, experiment) == a.not_modelled.end()) a.not_modelled.push_back(experiment);
      continue;
    }
    for (std::size_t place = 0; place < curve.points.size(); ++place) {
      const auto& p = curve.points[place];
      rows.rows.push_back({p.at(curve.axis), p.median, *model.predict(p, calibration.parameters), p.p10, p.p90, p.bytes,
                           curve.fitted[place]});
    }
    a.curves.push_back(std::move(rows));
  }
  a.score = score_of(a.curves);
  return a;
}

std::string to_text(const Calibration& calibration) {
  std::string text = fmt::format("{:<22} {:>10}\n", "parameter", "value");
  for (const auto& e : calibration.estimates)
    text += fmt::format("{:<22} {:>10.4g} {:<5} {:<20} {}{}\n", e.name, e.value, e.unit, interval_text(e), e.meaning,
                        e.identifiable ? "" : " (" + e.why_not + ")");
  if (!calibration.provenance.empty()) return text + "not fitted here, but by " + calibration.provenance + "\n";
  return text + fmt::format("{} points fitted, root mean square of their errors {:.1f} %\n", calibration.points,
                            100 * calibration.rms);
}

std::string to_text(const Assessment& a) {
  auto text = fmt::format("{} measured {}, {}\n\n", a.gpu, a.started, a.dataset) + to_text(a.calibration);
  for (const auto& curve : a.curves) {
    text += fmt::format("\n{}\n  {}\n  {:>12}   {:>12} {:>12} {:>8}{}\n", curve.name, curve.law, curve.axis,
                        "measured ns", "predicted ns", "error", scenario_heading(curve));
    for (const auto& row : curve.rows)
      text += fmt::format("  {:>12} {} {:>12.1f} {:>12.1f} {:>+7.1f}%{}{}\n", row.at, row.fitted ? '*' : ' ',
                          row.measured, row.predicted, 100 * row.error(), scenario_text(row),
                          row.within_spread() ? "  within spread" : "");
  }
  return text + "  * fitted; all else is predicted\n" + to_text(a.contention) + mixed_text(a) + to_text(a.link_bytes) +
         score_text(a) + scenario_score_text(a.scenario);
}

std::string to_json(const Assessment& a) {
  ordered_json json{{"dataset", a.dataset},      {"gpu", a.gpu},
                    {"started", a.started},      {"measured_points", a.measured},
                    {"fitted_points", a.fitted}, {"passed", a.passed()}};
  json["held_out"] = {{"points", a.score.points},
                      {"median_error", a.score.median},
                      {"allowed_median", most_median},
                      {"p95_error", a.score.p95},
                      {"allowed_p95", most_p95},
                      {"worst_error", a.score.worst},
                      {"within_spread", a.score.within_spread}};
  for (const auto& row : a.contention.rows)
    json["contention"]["points"].push_back({{"gpus", row.gpus},
                                            {"ways", ways_text(row.ways)},
                                            {"measured_GBps", row.measured},
                                            {"predicted_GBps", row.predicted},
                                            {"error", row.error()},
                                            {"fitted", row.fitted},
                                            {"counts", row.counts()}});
  if (!a.contention.rows.empty()) {
    json["contention"]["worst_error"] = a.contention.worst();
    json["contention"]["allowed_error"] = most_contention_error;
    json["contention"]["passed"] = a.contention.passed();
  }
  if (const auto& s = a.scenario; s.points > 0)
    json["scenario"] = {{"points", s.points},
                        {"worst_from_laws", s.worst_from_laws},
                        {"allowed_from_laws", most_from_laws},
                        {"median_error", s.median},
                        {"laws_median_error", s.laws},
                        {"mixed_points", s.mixed},
                        {"mixed_median_error", s.mixed_median},
                        {"mixed_worst_error", s.mixed_worst},
                        {"repeated_points", s.repeated},
                        {"repeated_median_error", s.repeated_median},
                        {"repeated_worst_error", s.repeated_worst},
                        {"unrepeated", s.unrepeated},
                        {"passed", s.passed()}};
  for (const auto& row : a.link_bytes)
    json["link_bytes"].push_back({{"experiment", row.experiment},
                                  {"request", row.request},
                                  {"sent_measured", row.measured.sent},
                                  {"sent", row.model.sent},
                                  {"received_measured", row.measured.received},
                                  {"received", row.model.received},
                                  {"error", row.error()},
                                  {"allowed_error", most_link_bytes_error}});
  for (const auto& curve : a.mixed) {
    auto rows = ordered_json::array();
    for (const auto& row : curve.rows) rows.push_back(row_json(row));
    json["mixed"].push_back({{"name", curve.name}, {"axis", curve.axis}, {"points", rows}});
  }
  json["not_modelled"] = a.not_modelled;
  for (const auto& e : a.calibration.estimates)
    json["parameters"].push_back({{"name", e.name},
                                  {"value", e.value},
                                  {"unit", e.unit},
                                  {"low", e.low},
                                  {"high", e.high},
                                  {"identifiable", e.identifiable},
                                  {"why_not", e.why_not},
                                  {"meaning", e.meaning}});
  for (const auto& curve : a.curves) {
    auto rows = ordered_json::array();
    for (const auto& row : curve.rows) rows.push_back(row_json(row));
    json["curves"].push_back({{"name", curve.name}, {"axis", curve.axis}, {"law", curve.law}, {"points", rows}});
  }
  return json.dump(2) + "\n";
}

}  // namespace peerpath::calibrate
