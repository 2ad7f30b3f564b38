#include "tools/peerpath/batch/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "study/text/text_table.hpp"

namespace peerpath::cli {

std::string sweep_table(const report::SweepSummary& sweep, std::size_t most) {
  using Align = study::TextTable::Align;
  const auto any = [&](auto has) { return std::ranges::any_of(sweep.rows, has); };
  const bool latencies = any([](const report::SweepPoint& row) { return row.latency.has_value(); });
  const bool states = any([](const report::SweepPoint& row) { return row.status != "ok"; });
  std::vector<study::TextTable::Column> columns{{"point"}};
  for (const auto& key : sweep.keys) columns.push_back({key});
  columns.push_back({sweep.figure + (sweep.unit.empty() ? "" : " " + sweep.unit)});
  if (latencies) columns.push_back({"p99 ns"});
  if (states) columns.push_back({"status", Align::left});
  columns.push_back({"bottleneck", Align::left});
  study::TextTable table{std::move(columns)};
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : "-"; };
  const auto shown = std::min(most, sweep.rows.size());
  for (const auto& row : std::span{sweep.rows}.first(shown)) {
    std::vector<std::string> cells{std::to_string(row.number)};
    cells.insert(cells.end(), row.values.begin(), row.values.end());
    cells.push_back(number(row.value));
    if (latencies) cells.push_back(number(row.latency));
    if (states) cells.push_back(row.status == "expectation_failed" ? "expectation failed" : row.status);
    cells.push_back(row.bottleneck.empty() ? row.message : row.bottleneck);
    table.add(std::move(cells));
  }
  auto text = table.text();
  if (shown < sweep.rows.size())
    text += fmt::format("{} more points: --csv FILE writes all of them\n", sweep.rows.size() - shown);
  return text;
}

}  // namespace peerpath::cli
