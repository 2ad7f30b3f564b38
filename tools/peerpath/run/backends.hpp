// What can run a scenario, and why some of it cannot here.
#pragma once

#include <span>
#include <string_view>

namespace peerpath::cli {

struct Backend {
  std::string_view name;
  std::string_view doc;
  std::string_view missing;  ///< why this program cannot use it; empty if it can

  bool built_in() const { return missing.empty(); }
};

std::span<const Backend> backends();

}  // namespace peerpath::cli
