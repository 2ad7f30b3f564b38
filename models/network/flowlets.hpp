// Bursts of a flow, as a switch tells them apart.
#pragma once

#include <unordered_map>

#include "network/packet.hpp"

namespace peerpath::network {

/// The flows that a switch has seen, by the hash of their 5-tuple, so two flows of one hash are one, as in a switch's
/// table. A flow whose last packet came in longer ago than the gap begins a new flowlet (E. Vanini et al., NSDI 2017).
/// Unlike a switch's table this one holds all flows and forgets none.
class Flowlets {
 public:
  /// The number of the flowlet that the packet belongs to.
  std::uint32_t& number_of(const Packet& packet, Duration gap, Instant now) {
    auto& flow = flows_[packet.flow_hash];
    if (now - flow.last > gap) ++flow.number;
    flow.last = now;
    return flow.number;
  }

 private:
  struct Flow {
    Instant last{};
    std::uint32_t number = 0;
  };
  std::unordered_map<std::uint32_t, Flow> flows_;
};

}  // namespace peerpath::network
