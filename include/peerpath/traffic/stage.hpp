// A stage of latency, of which the median and the 99th percentile are metrics.
#pragma once

#include <string_view>

namespace peerpath::scenario::traffic {

struct StageText {
  std::string_view of;  ///< whose stage, as texts have it
  std::string_view name;
  std::string_view meaning;
  std::string_view from, until;  ///< the events between which it lies
};

}  // namespace peerpath::scenario::traffic
