// Patterns of names on the command line: `*` and `?`, and no brackets, which names of hosts have ("n[1].gpu0").
#pragma once

#include <string_view>

namespace peerpath {

inline bool has_wildcard(std::string_view text) { return text.find_first_of("*?") != text.npos; }

/// Whether `*` (any text) and `?` (one character) of the pattern can stand for the name.
inline bool fits_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = pattern.npos, resumed = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace peerpath
