// Equal-cost shortest ways through a network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/graph.hpp"

namespace peerpath::network {

/// For each node and destination the ports of the shortest ways, as a routing protocol with one cost a hop installs
/// them. Hosts that hang on one switch share an entry.
class Routes {
 public:
  /// `down`: by cable; those out of service are not used.
  Routes(const Graph& graph, const std::vector<bool>& down = {});

  /// Ports by which `node` may send to `host`, in the order of their cables; none: unreachable.
  std::span<const PortIndex> towards(NodeIndex node, HostIndex host) const {
    const auto& at = attached_[host];
    if (at.edge == node) return {&last_port_[host], 1};
    const auto& [first, count] = entries_[node * edges_ + at.number];
    return {ports_.data() + first, count};
  }
  /// Place of a host among those of its switch, in the order of the hosts.
  std::uint32_t place(HostIndex host) const { return attached_[host].place; }

 private:
  struct Attached {
    NodeIndex edge = 0;        ///< the node at the other end of the host's cable
    std::uint32_t number = 0;  ///< of that node among all that have hosts
    std::uint32_t place = 0;
  };
  struct Entry {
    std::uint32_t first = 0, count = 0;
  };

  std::size_t edges_ = 0;
  std::vector<Attached> attached_;
  std::vector<PortIndex> last_port_;
  std::vector<Entry> entries_;  ///< [node * edges + edge]
  std::vector<PortIndex> ports_;
};

}  // namespace peerpath::network
