// What this machine has of what peerpath can use.
#pragma once

#include <string>
#include <vector>

namespace peerpath::cli {

struct Finding {
  std::string name;
  bool found = false;
  std::string detail;   ///< where or which; if missing, what to do
  std::string purpose;  ///< what needs it
};

std::vector<Finding> examine_machine();

}  // namespace peerpath::cli
