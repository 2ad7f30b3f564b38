// Execution traces in a plain JSON: { "nodes": [ ... ] } with the keys of `ExecutionNode`.
#pragma once

#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "scenario/network/execution_trace/execution_trace.hpp"

namespace peerpath::network_scenario {

/// Problems have their places in `file`.
tl::expected<RankTrace, Problems> read_plain(std::string_view text, const std::string& file);

}  // namespace peerpath::network_scenario
