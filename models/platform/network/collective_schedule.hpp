// What an entry of `collectives` has to send, and between whom.
#pragma once

#include <vector>

#include "collective/buffers.hpp"
#include "collective/connections.hpp"
#include "collective/server_links.hpp"
#include "scenario/network/load.hpp"

namespace peerpath::network_run {

/// The hosts of each ring of the entry, every rings-th of its hosts, and that once for each channel.
std::vector<std::vector<network::HostIndex>> ranks_of(const network_scenario::Collective& entry,
                                                      const network::Graph& graph);

/// One channel of a ring of the entry, or of the whole of it.
collective::Pattern pattern_of(const network_scenario::NetworkScenario& s, const network_scenario::Collective& entry);
/// What that has to send.
collective::Schedule schedule_of(const network_scenario::NetworkScenario& s, const network_scenario::Collective& entry);
collective::PlayerConfig player_config(const network_scenario::Collective& entry);
collective::ServerConfig server_config(const network_scenario::NetworkScenario& s);

/// Steps of a schedule that stand for all.
struct Sample {
  collective::Schedule schedule{};
  std::uint32_t steps = 0, all = 0;
};

/// The schedule with its slices if all rings of the entry have no more than `most` messages, else whole without slices,
/// else as many of its steps as that allows, but eight: the first of a ring, evenly apart of an AlltoAll.
/// Only of rings and AlltoAll as they are by default.
Sample sample_of(const network_scenario::NetworkScenario& s, const network_scenario::Collective& entry,
                 std::int64_t most);

}  // namespace peerpath::network_run
