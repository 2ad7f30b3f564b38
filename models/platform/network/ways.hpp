// The shortest ways between hosts of a network.
#pragma once

#include <map>
#include <vector>

#include "network/graph.hpp"

namespace peerpath::network_run {

/// Which ports packets between two hosts can leave by where all ways are as short as can be.
class Ways {
 public:
  explicit Ways(const network::Graph& graph);

  /// All of them, those nearer to `from` first.
  std::vector<network::PortIndex> between(network::NodeIndex from, network::NodeIndex to);

 private:
  const std::vector<std::uint32_t>& hops_to(network::NodeIndex node);

  const network::Graph& graph_;
  std::vector<std::vector<network::PortIndex>> ports_;             ///< by node: those it sends by
  std::map<network::NodeIndex, std::vector<std::uint32_t>> hops_;  ///< by destination and node
};

}  // namespace peerpath::network_run
