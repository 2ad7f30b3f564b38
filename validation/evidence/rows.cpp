#include "validation/evidence/rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "validation/pcie_bench/effects.hpp"

namespace peerpath::evidence {
namespace {

double rounded(double value) { return std::round(value * 100) / 100; }

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Directories are named after card, clock, processor and machine; the card and its clock are the same for all.
std::string short_name(const std::string& host) {
  const auto at = host.find('_');
  return at == std::string::npos ? host : host.substr(at + 1);
}

}  // namespace

Row row(const Set& set, std::string_view name, double value, std::size_t points, std::optional<double> most) {
  return {set.name, std::string{name}, rounded(value), most, points};
}

std::vector<Row> rows_of(const Set& set, const calibrate::Assessment& a) {
  std::vector<Row> rows{row(set, gpu_row::median, 100 * a.score.median, a.score.points),
                        row(set, gpu_row::p95, 100 * a.score.p95, a.score.points),
                        row(set, gpu_row::worst, 100 * a.score.worst, a.score.points)};
  if (const auto& c = a.contention; !c.rows.empty())
    rows.push_back(row(set, gpu_row::together, 100 * c.worst(), c.points() - c.fitted()));
  const auto& s = a.scenario;
  if (s.points > 0) {
    rows.push_back(row(set, gpu_row::from_laws, 100 * s.worst_from_laws, s.points));
    rows.push_back(row(set, gpu_row::scenario_median, 100 * s.median, a.score.points));
  }
  if (s.mixed > 0) {
    rows.push_back(row(set, gpu_row::mixed_median, 100 * s.mixed_median, s.mixed));
    rows.push_back(row(set, gpu_row::mixed_worst, 100 * s.mixed_worst, s.mixed));
  }
  if (!a.link_bytes.empty()) {
    double most = 0;
    for (const auto& bytes : a.link_bytes) most = std::max(most, std::abs(bytes.error()));
    rows.push_back(row(set, gpu_row::link_bytes, 100 * most, a.link_bytes.size()));
  }
  return rows;
}

std::vector<Row> rows_of(const Set& set, const calibrate::Spread& spread) {
  const auto score = calibrate::score_of(spread.rows);
  return {row(set, repeat_row::median, 100 * score.median, score.points),
          row(set, repeat_row::p95, 100 * score.p95, score.points)};
}

std::vector<Row> rows_of(const Set& set, std::span<const pcie_bench::HostReport> reports) {
  std::vector<Row> rows;
  for (const auto& report : reports)
    for (const auto& c : report.criteria)
      rows.push_back(row(set, short_name(report.data.name) + ": " + c.name, c.value, static_cast<std::size_t>(c.points),
                         c.allowed));
  return rows;
}

std::vector<Row> rows_of(const Set& set, const published::Table& table) {
  std::vector<Row> rows;
  for (const auto& c : table.cases) {
    double most = 0;
    for (const auto& f : c.figures) most = std::max(most, f.why_not.empty() ? std::abs(f.error()) : 1.0);
    rows.push_back(row(set, c.id, 100 * most, c.figures.size(), 100 * c.tolerance));
  }
  return rows;
}

std::vector<Row> rows_of(const Set& set, std::span<const SocketError> errors) {
  std::map<std::string, std::vector<double>> groups;
  std::vector<double> all;
  for (const auto& [group, error] : errors) {
    groups[group].push_back(100 * std::abs(error));
    all.push_back(100 * std::abs(error));
  }
  std::vector<Row> rows{row(set, socket_row::all, median_of(all), all.size()),
                        row(set, socket_row::largest, all.empty() ? 0 : std::ranges::max(all), all.size())};
  for (const auto& [group, values] : groups)
    rows.push_back(row(set, group + ": median error", median_of(values), values.size()));
  return rows;
}

}  // namespace peerpath::evidence
