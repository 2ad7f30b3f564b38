// Names of hosts and switches, singly and in ranges.
#pragma once

#include <string>
#include <vector>

#include "network/graph.hpp"

namespace peerpath::network_scenario {

/// Ranges of more names are refused: nobody writes them, and they would fill the memory.
inline constexpr int most_names = 100'000;

/// Names with ranges written out: "h0..h2" is h0, h1, h2. A range that is none stays as it is; of what exceeds
/// `most_names` only one name more is written.
std::vector<std::string> spelt_out(const std::vector<std::string>& names);

/// Of the cable that joins the host to its switch.
BitRate rate_of_host(const network::Graph& graph, network::HostIndex host);

/// The numbers of hosts by their names; all of them are there.
std::vector<network::HostIndex> hosts_of(const network::Graph& graph, const std::vector<std::string>& names);

}  // namespace peerpath::network_scenario
