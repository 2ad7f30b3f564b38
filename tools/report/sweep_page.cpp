#include "tools/report/sweep_page.hpp"

#include <fmt/format.h>

#include "tools/report/document.hpp"

namespace peerpath::report {
namespace {

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json chart_data(const SweepSummary& sweep) {
  Json points = Json::array();
  for (const auto& row : sweep.rows)
    points.push_back({{"number", row.number},
                      {"values", row.values},
                      {"value", number(row.value)},
                      {"latency", number(row.latency)},
                      {"bottleneck", row.bottleneck}});
  return {{"sweep", {{"figure", sweep.figure}, {"unit", sweep.unit}, {"keys", sweep.keys}, {"points", points}}}};
}

/// As the head of a column. Metrics have their unit in their name.
std::string with_unit(const SweepSummary& sweep) {
  return sweep.unit.empty() ? sweep.figure : sweep.figure + " " + sweep.unit;
}

std::string point_table(const SweepSummary& sweep) {
  std::vector<std::string> head{"point"};
  for (const auto& key : sweep.keys) head.push_back("<code>" + escaped(key) + "</code>");
  head.push_back(escaped(with_unit(sweep)));
  for (const char* more : {"latency p99 ns", "status", "bottleneck"}) head.emplace_back(more);
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : sweep.rows) {
    std::vector<std::string> cells{std::to_string(row.number)};
    for (const auto& value : row.values) cells.push_back(escaped(value));
    cells.push_back(fixed(number(row.value), 2));
    cells.push_back(fixed(number(row.latency), 0));
    cells.push_back(escaped(row.status));
    cells.push_back(escaped(row.bottleneck));
    rows.push_back(std::move(cells));
  }
  return table(head, rows, head.size());
}

}  // namespace

std::string sweep_page(const SweepSummary& sweep) {
  auto body = fmt::format("<header><h1>{}</h1>\n<p>A sweep of {} points over {} key{}; {} completed.</p></header>\n",
                          escaped(sweep.scenario), sweep.points, sweep.keys.size(), sweep.keys.size() == 1 ? "" : "s",
                          sweep.rows.size());
  const auto figure = escaped(sweep.figure), title = sweep.figure == "goodput" ? std::string{"Goodput"} : figure;
  if (sweep.keys.size() > 1)
    body += section("sensitivity", "What matters", chart("sensitivity-chart", "Effect of each key on " + figure),
                    "Range of the mean " + figure + " over the values of each key.");
  const std::string over = sweep.keys.size() == 1 ? sweep.keys.front() : "the two keys with the largest effect";
  body +=
      section("figure", title, chart("figure-chart", figure + " over " + escaped(over)),
              sweep.keys.size() == 1 ? "" : "Over " + over + "; points with equal values of both keys are averaged.");
  body += section("pareto", title + " and latency", chart("pareto-chart", title + " against latency of each point"),
                  "Latency is the highest 99th percentile of all traffic entries.");
  body +=
      section("points", "All points", "<details><summary>As a table</summary>\n" + point_table(sweep) + "</details>\n");
  return document(sweep.scenario + ", a sweep - peerpath", body, "peerpath sweep", chart_data(sweep));
}

}  // namespace peerpath::report
