// Wrong input is collected, all of it, with the place of each mistake; nothing is thrown.
#pragma once

#include <string>
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

/// `file:line:column: key: message`, the form that editors jump to.
std::string to_string(const Problem& problem);

}  // namespace peerpath
