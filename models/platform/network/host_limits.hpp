// What the hosts of a network take in and send, beside what the wire allows.
#pragma once

#include <string>
#include <vector>

#include "platform/network/node.hpp"
#include "scenario/network/load.hpp"

namespace peerpath::network_run {

/// By host; rates are of frames with headers while both ways are busy, and 0 is no limit.
struct HostLimits {
  std::vector<BitRate> drain{}, fetch{};  ///< into its memory, and out of it
  std::vector<Duration> latency{};        ///< from its NIC to its memory
};

/// Of `slow_hosts`, and of what was fitted to each entry of `nodes`.
HostLimits host_limits(const network_scenario::Loaded& loaded, const std::vector<NodeFit>& fits);

/// What the hosts of an entry can, or did, and why: "h4 (node.json with links.gpu0.from=sw1): takes in 96.1 Gb/s of
/// ...".
std::string sentence(const network_scenario::NodeEntry& entry, const NodeFit& fit);

}  // namespace peerpath::network_run
