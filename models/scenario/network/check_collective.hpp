// What one entry of `collectives` may not say.
#pragma once

#include <functional>
#include <string>

#include "scenario/network/network_scenario.hpp"

namespace peerpath::network_scenario {

/// Calls `add` with the key and what is wrong with it. `count`: its hosts.
void check_collective(const Collective& entry, std::size_t count, const Servers& servers,
                      const std::function<void(const std::string& key, const std::string& what)>& add);

}  // namespace peerpath::network_scenario
