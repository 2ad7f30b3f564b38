// The wiring of an Ethernet network: hosts, switches, and the cables between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/packet.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::network {

using NodeIndex = std::uint32_t;   ///< a host or a switch, in one numbering
using PortIndex = std::uint32_t;   ///< one end of a cable; it sends towards the other end
using CableIndex = std::uint32_t;  ///< its ports are 2 * cable and 2 * cable + 1

/// A host, which is one port of a NIC, or a switch.
struct Node {
  std::string name;
  bool is_host = false;
};

/// A cable between two nodes, both directions at one rate.
struct Cable {
  NodeIndex a = 0, b = 0;
  BitRate rate{};
  Duration delay{};                  ///< last bit out to last bit in
  std::vector<std::int64_t> lost{};  ///< numbers, from 1, of the packets from a to b that are lost on the way
  double loss = 0;                   ///< share of packets that are lost, each way
};

/// Nodes and cables. A host has one cable at most.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Cable> cables;
  std::vector<NodeIndex> hosts;  ///< by host number, in the order in which they were added

  NodeIndex add_host(const std::string& name);
  NodeIndex add_switch(const std::string& name);
  CableIndex connect(NodeIndex a, NodeIndex b, BitRate rate, Duration delay);

  NodeIndex node_of(PortIndex port) const {
    const auto& cable = cables[port / 2];
    return port % 2 == 0 ? cable.a : cable.b;
  }
  static PortIndex peer(PortIndex port) { return port ^ 1; }
  /// "leaf0 -> spine1": the direction in which the port sends.
  std::string name_of(PortIndex port) const;

  /// Why it is no network, in sentences; empty if it is one.
  std::vector<std::string> problems() const;
};

}  // namespace peerpath::network
