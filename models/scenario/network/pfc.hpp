// Which priorities of a network scenario PFC protects, and whether buffers of switches have room for that.
#pragma once

#include <functional>
#include <string>

#include "scenario/network/load.hpp"

namespace peerpath::network_scenario {

/// `switches`, with `lossless` reduced to priorities that carry traffic: the others need no headroom.
network::SwitchConfig switches_in_use(const NetworkScenario& scenario);

/// Reports the switch whose buffer is exceeded most by the headroom and the reserves of its ports.
void check_headroom(const NetworkScenario& scenario, const network::Graph& graph,
                    const std::function<void(const std::string& at, const std::string& what)>& add);

}  // namespace peerpath::network_scenario
