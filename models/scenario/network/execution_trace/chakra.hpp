// Execution traces as MLCommons Chakra's tools write them.
#pragma once

#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "scenario/network/execution_trace/execution_trace.hpp"

namespace peerpath::network_scenario {

/// Reads a file of protobuf messages, each behind its length: metadata, then nodes. Problems name `file` and the node.
tl::expected<RankTrace, Problems> read_chakra(std::string_view bytes, const std::string& file);

}  // namespace peerpath::network_scenario
