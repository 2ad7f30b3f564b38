// Sections of a network scenario that its traffic makes no use of.
#pragma once

#include <functional>
#include <string>

#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_scenario {

/// Calls `add` for each key of `nics` without RDMA, of `tcp_stack` and `tcp_hosts` without TCP, and for `servers.gpus`
/// without collectives and traces, whose value is not the default.
void check_unused(const NetworkScenario& scenario,
                  const std::function<void(const std::string& at, const std::string& what)>& add);

}  // namespace peerpath::network_scenario
