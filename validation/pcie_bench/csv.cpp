#include "validation/pcie_bench/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace peerpath::pcie_bench {
namespace {

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const auto comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::size_t index_of(const Table& table, std::string_view column) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, column) - table.columns.begin());
}

void check_header(const Table& table, const std::vector<std::string>& needed, Problems& problems) {
  for (const auto& column : needed)
    if (std::ranges::count(table.columns, column) != 1)
      problems.push_back({table.file, 1, 1, "", "the column \"" + column + "\" is missing, or there twice"});
}

}  // namespace

tl::expected<Table, Problems> parse_csv(std::string_view text, const std::string& file,
                                        const std::vector<std::string>& needed) {
  Table table{file, {}, {}};
  Problems problems;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    if (end == std::string_view::npos)
      problems.push_back({file, number, 1, "", "the last line has no end: truncated?"});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    auto cells = split(line);
    if (number == 1) {
      table.columns = std::move(cells);
      check_header(table, needed, problems);
    } else if (cells.size() != table.columns.size()) {
      problems.push_back(
          {file, number, 1, "",
           std::to_string(cells.size()) + " cells where the header has " + std::to_string(table.columns.size())});
    } else {
      table.rows.push_back({number, std::move(cells)});
    }
  }
  if (table.rows.empty() && problems.empty()) problems.push_back({file, 1, 1, "", "no results in this file"});
  if (!problems.empty()) return tl::unexpected{problems};
  return table;
}

const std::string& cell(const Table& table, const Row& row, std::string_view column) {
  return row.cells.at(index_of(table, column));
}

double positive_number(const Table& table, const Row& row, std::string_view column, Problems& problems) {
  const auto& text = cell(table, row, column);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(value) && value > 0) return value;
  problems.push_back({table.file, row.line, 1, "", std::string{column} + ": \"" + text + "\" is not a number above 0"});
  return 0;
}

}  // namespace peerpath::pcie_bench
