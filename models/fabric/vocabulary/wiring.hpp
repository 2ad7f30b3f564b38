// Which link lies at which port of which node, and the way through the tree.
#pragma once

#include <span>
#include <vector>

#include "peerpath/fabric/topology.hpp"

namespace peerpath::fabric {

/// Ports of a router, with a second one for each that has VC 1, and queues of an endpoint: three FIFOs for each make at
/// most 63 slots.
inline constexpr std::size_t max_ingresses = 21;

/// Credits of a transmitter and servers of an endpoint are by virtual channel and class: both in one number.
inline constexpr std::size_t pools = 2 * pcie::tlp_classes;
constexpr std::uint8_t pool_of(std::size_t channel, pcie::TlpClass tlp_class) {
  return static_cast<std::uint8_t>(channel * pcie::tlp_classes + static_cast<std::size_t>(tlp_class));
}

/// One end of a link, seen from its node.
struct Port {
  LinkId link{};
  int outgoing = 0;  ///< the direction of the link that leaves the node; the other one comes in
  NodeId peer{};
  int peer_port = 0;  ///< the number of this link's port at the peer
  /// Ingress of what comes by VC 1 of this link (at an endpoint: of completions that leave by it); -1: none.
  int vc1_ingress = -1;
};

/// Ports of all nodes and the default routes of a topology that `validate` accepts.
class Wiring {
 public:
  explicit Wiring(const Topology& topology);

  std::span<const Port> ports(NodeId node) const { return ports_[node.value()]; }

  /// Ingresses of a node: of a router one for each port, of an endpoint one for completions and one for each of its
  /// channels; behind these come those of VC 1.
  int ingresses(NodeId node) const { return ingresses_[node.value()]; }

  /// Which of them holds what comes by a virtual channel of `link`.
  int ingress_of(NodeId node, LinkId link, int channel) const {
    const Port& port = ports(node)[static_cast<std::size_t>(port_of(node, link))];
    return channel == 0 ? port_of(node, link) : port.vc1_ingress;
  }

  /// The port of `node` at which `link` ends; `fail`s if there is none.
  int port_of(NodeId node, LinkId link) const;

  /// The port by which the tree's only path from `node` to `to` begins; 0 if they are the same, or if
  /// there is none.
  int next_port(NodeId node, NodeId to) const { return next_[node.value() * ports_.size() + to.value()]; }
  LinkId next_link(NodeId node, NodeId to) const {
    return ports(node)[static_cast<std::size_t>(next_port(node, to))].link;
  }

  /// Whether there is a way from one node to another.
  bool connected(NodeId a, NodeId b) const { return trees_[a.value()] == trees_[b.value()]; }

  /// Turns in a row where `node` sends by `egress`, by its ingresses; empty if each has one.
  std::vector<int> turns(const Topology& topology, NodeId node, LinkId egress) const;

 private:
  std::vector<std::vector<Port>> ports_;
  std::vector<int> ingresses_;
  std::vector<int> next_;
  std::vector<std::size_t> trees_;  ///< by node: the last one of its tree
};

}  // namespace peerpath::fabric
