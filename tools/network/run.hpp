// A network scenario, run.
#pragma once

#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "tools/network/read.hpp"

namespace peerpath::network_tool {

/// How busy a direction of a cable was, and how long the other end held it.
struct CableUse {
  std::string name;
  observe::Decimal busy_percent{}, paused_percent{};
  std::int64_t peak = 0, dropped = 0, marked = 0;
};

struct Outcome {
  observe::Results results;       ///< metrics, and verdicts on what was expected
  std::vector<CableUse> cables;   ///< busiest first
  std::vector<std::string> said;  ///< sentences: what limits the run, and why
  bool deadlock = false;
};

/// Problems are expectations of metrics that there are not.
tl::expected<Outcome, Problems> run(const Loaded& loaded);

}  // namespace peerpath::network_tool
