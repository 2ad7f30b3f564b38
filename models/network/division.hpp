// A network divided into parts that are played at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "network/graph.hpp"
#include "network/packet.hpp"

namespace peerpath::network {

using PartIndex = std::uint32_t;

/// What comes out of one part's cable into another part: a packet, or a frame that pauses a priority.
struct Crossing {
  Instant when{};    ///< all of it has come in
  PortIndex at = 0;  ///< by this port
  std::uint32_t word =
      0;  ///< of a packet the generation of its cable; of a pause frame priority * 2, and 1 if it stops
  bool pause = false;
  Packet packet{};
};

/// Gives each node a part: runs of switches that have hosts, in the order of the hosts (racks and pods stay whole), so
/// that the parts have as many hosts as can be; hosts go with their switch, and the other switches to the part that
/// most of their cables lead to.
std::vector<PartIndex> divide(const Graph& graph, PartIndex parts);

/// What is sent now cannot come in at another part before that: the least delay of the cables between parts with the
/// time of the smallest frame. `never` less the start of time where no cable joins two parts.
Duration lookahead(const Graph& graph, const std::vector<PartIndex>& owner);

}  // namespace peerpath::network
