// Columns that line up.
#pragma once

#include <string>
#include <vector>

namespace peerpath::study {

class TextTable {
 public:
  enum class Align : unsigned char { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_{std::move(columns)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// Title line (unless all titles are empty) and rows, each with `indent` blanks in front, two between columns, none
  /// at the end.
  std::string text(std::size_t indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace peerpath::study
