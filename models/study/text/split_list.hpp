// Lists on the command line whose items may be JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace peerpath::study {

/// The parts between separators that stand in no bracket and no quotes: `["RR","CR"],none` has two by commas.
inline std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> items(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == separator && !quoted && depth == 0)
      items.emplace_back();
    else
      items.back() += c;
  }
  return items;
}

}  // namespace peerpath::study
