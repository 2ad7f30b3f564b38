// The stages of latency that any kind of traffic has.
#pragma once

#include <algorithm>
#include <vector>

#include "peerpath/traffic/catalogue.hpp"
#include "scenario/kinds.hpp"

namespace peerpath::scenario::traffic {

/// Each once, in the order of the catalogue.
inline std::vector<StageText> all_stages() {
  std::vector<StageText> all;
  for_each_alternative<AnyKind>([&]<class What>(const What&) {
    for (const auto& stage : Kind<What>::stages())
      if (std::ranges::find(all, stage.name, &StageText::name) == all.end()) all.push_back(stage);
  });
  return all;
}

}  // namespace peerpath::scenario::traffic
