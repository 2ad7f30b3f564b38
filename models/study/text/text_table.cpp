#include "study/text/text_table.hpp"

#include <algorithm>

namespace peerpath::study {
namespace {

/// Characters of UTF-8 text: bytes that do not continue one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> titles;
  for (const auto& column : columns_) titles.push_back(column.title);
  if (!std::ranges::all_of(titles, [](const std::string& title) { return title.empty(); })) lines.push_back(titles);
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines)
    for (std::size_t n = 0; n < line.size(); ++n) widths[n] = std::max(widths[n], width(line[n]));
  std::string text;
  for (const auto& line : lines) {
    std::string row(indent, ' ');
    for (std::size_t n = 0; n < line.size(); ++n) {
      const std::string blanks(widths[n] - width(line[n]), ' ');
      if (n > 0) row += "  ";
      row += columns_[n].align == Align::left ? line[n] + blanks : blanks + line[n];
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace peerpath::study
