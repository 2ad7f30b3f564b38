// The ways that traffic takes through a topology, as a drawing shows them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/report/html.hpp"

namespace peerpath::report {

inline constexpr int flow_colours = 8;  ///< of the style sheet

/// One traffic entry.
struct Flow {
  std::string name;
  int colour = 0;
  std::vector<std::pair<std::string, std::string>> hops;  ///< devices that payload goes between, in its direction

  bool goes(const std::string& from, const std::string& to) const;
};

/// By the sentence that results have of each traffic entry: "nic0 -> sw0 -> gpu0, then gpu0 -> sw0 -> rc".
std::vector<Flow> flows_of(const Json& results);

/// What the colours of a topology mean, as HTML.
std::string legend(const std::vector<Flow>& flows);

}  // namespace peerpath::report
