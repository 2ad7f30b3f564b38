// What waits in the nodes: FIFOs, the order between classes, and when the first of a FIFO becomes eligible.
#pragma once

#include "fabric/reference/state.hpp"

namespace peerpath::fabric::reference {

class Queues {
 public:
  explicit Queues(State& state) : state_{state} {}

  /// Puts a TLP behind those of its class in the lane of its egress.
  void enter(NodeId node, std::size_t ingress, Tlp* tlp);
  void consider(NodeId node, std::size_t place);
  void left(Transmitter& t);

 private:
  bool oldest_of_ingress(NodeId node, std::size_t place) const;

  State& state_;
};

}  // namespace peerpath::fabric::reference
