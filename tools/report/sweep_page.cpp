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
                      {"goodput", number(row.goodput)},
                      {"latency", number(row.latency)},
                      {"bottleneck", row.bottleneck}});
  return {{"sweep", {{"keys", sweep.keys}, {"points", points}}}};
}

std::string point_table(const SweepSummary& sweep) {
  std::vector<std::string> head{"point"};
  for (const auto& key : sweep.keys) head.push_back("<code>" + escaped(key) + "</code>");
  for (const char* more : {"goodput Gb/s", "latency p99 ns", "status", "bottleneck"}) head.emplace_back(more);
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : sweep.rows) {
    std::vector<std::string> cells{std::to_string(row.number)};
    for (const auto& value : row.values) cells.push_back(escaped(value));
    cells.push_back(fixed(number(row.goodput), 2));
    cells.push_back(fixed(number(row.latency), 0));
    cells.push_back(escaped(row.status));
    cells.push_back(escaped(row.bottleneck));
    rows.push_back(std::move(cells));
  }
  return table(head, rows, head.size());
}

}  // namespace

std::string sweep_page(const SweepSummary& sweep) {
  auto body = fmt::format("<header><h1>{}</h1>\n<p>A sweep of {} points over {} keys; {} of them ran.</p></header>\n",
                          escaped(sweep.scenario), sweep.points, sweep.keys.size(), sweep.rows.size());
  body += section("sensitivity", "What matters",
                  chart("sensitivity-chart", "How far the goodput of the values of each key lies apart"),
                  "Of the mean goodput of the points of each value of a key: the best less the worst.");
  body += section("heat", "Goodput", chart("heat-chart", "Goodput over the two keys that matter most"),
                  "Over the two keys that matter most; of several points in one place, the best.");
  body += section("pareto", "Goodput and latency", chart("pareto-chart", "Goodput against latency of each point"),
                  "Goodput of all traffic, and the worst 99th percentile of its latencies.");
  body +=
      section("points", "All points", "<details><summary>As a table</summary>\n" + point_table(sweep) + "</details>\n");
  return document(sweep.scenario + ", a sweep - peerpath", body, "peerpath sweep", chart_data(sweep));
}

}  // namespace peerpath::report
