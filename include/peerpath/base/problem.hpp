// Wrong input is collected, all of it, with the place of each mistake; nothing is thrown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace peerpath {

/// One mistake in an input file or on the command line.
struct Problem {
  std::string file;     ///< as the user spelt it; "" for the command line
  int line = 0;         ///< from 1; 0 when the whole file is meant
  int column = 0;       ///< from 1
  std::string key;      ///< JSON pointer such as /devices/nic0/wire_rate, or a flag
  std::string message;  ///< what is wrong, what is allowed, "did you mean"
};

using Problems = std::vector<Problem>;

/// UTF-8 text with each control character spelt out (`\n`, `\x1b`, `\u009b`), as a terminal would obey it; so are bytes
/// that are no UTF-8. Characters of `kept` stay as they are.
std::string printable(std::string_view text, std::string_view kept = "");

/// `file:line:column: key: message`, the form that editors jump to; one printable line, whatever names a file has in
/// it.
std::string to_string(const Problem& problem);

}  // namespace peerpath
