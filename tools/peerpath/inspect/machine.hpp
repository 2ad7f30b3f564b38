// Equipment and tools of this machine that peerpath can use.
#pragma once

#include <string>
#include <vector>

namespace peerpath::cli {

struct Finding {
  std::string name;
  bool found = false;
  std::string detail;   ///< its place or version; if it is missing, how to get it
  std::string purpose;  ///< the subcommands that need it
};

std::vector<Finding> examine_machine();

}  // namespace peerpath::cli
