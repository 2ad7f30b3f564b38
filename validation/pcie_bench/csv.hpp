// Result files of pcie-bench, read strictly: what is wrong is said with file and line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"

namespace peerpath::pcie_bench {

/// One line of a table, as many cells as there are columns.
struct Row {
  int line = 0;
  std::vector<std::string> cells;
};

struct Table {
  std::string file;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// A comma-separated table with a header line. Refused: no header, no rows, a row with more or fewer cells than the
/// header, a last line without its end (a truncated copy), or a needed column that is missing.
tl::expected<Table, Problems> parse_csv(std::string_view text, const std::string& file,
                                        const std::vector<std::string>& needed);

/// The cell of a column that exists.
const std::string& cell(const Table& table, const Row& row, std::string_view column);

/// A finite number above 0; else a problem is added and 0 returned.
double positive_number(const Table& table, const Row& row, std::string_view column, Problems& problems);

}  // namespace peerpath::pcie_bench
