// From a topology to the parts of the engine.

#include <algorithm>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

namespace {

/// Double words of the largest TLP: header, digest, 4 KiB of data that starts inside a double word.
constexpr std::size_t largest_tlp_dw = 4 + 1 + 1025;

}  // namespace

Engine::Engine(const Topology& topology, DeliverySink& sink, bool trains)
    : topology_{topology},
      wiring_{topology},
      sink_{&sink},
      trains_{trains},
      transmitters_(topology.links.size() * 2),
      nodes_(topology.nodes.size()),
      decisions_{topology.links.size() * 2},
      side_latency_{femtoseconds(topology.side_latency)} {
  build_transmitters();
  build_nodes();
  for (const Leaf& leaf : leaves_) {
    if (leaf.config.one_queue == 0) continue;
    held_ = true;
    if (!rerouted_) allow_turns();
    shortest_arrival_ = std::min(shortest_arrival_, leaf.out->shortest);  // a start here lets in what waits here
  }
  build_recurrence();
}

void Engine::build_recurrence() {
  recurrence_.listener.to = sink_;
  recurrence_.in_hand.resize(transmitters_.size());
  recurrence_.used.resize(transmitters_.size());
  recurs_ = !held_ && transmitters_.size() <= 64;
  for (const Transmitter& x : transmitters_) recurs_ = recurs_ && !x.error_prone;  // nor a second virtual channel
  for (const Leaf& leaf : leaves_) recurs_ = recurs_ && leaf.config.read_jitter == Duration{};
}

void Engine::build_transmitters() {
  for (std::size_t i = 0; i < transmitters_.size(); ++i) {
    const Link& link = topology_.links[i / 2];
    const LinkDirection& direction = link.direction[i % 2];
    Transmitter& x = transmitters_[i];
    x.index = static_cast<int>(i);
    x.reverse = &transmitters_[i ^ 1];
    const NodeId node = i % 2 == 0 ? link.a : link.b;
    const NodeId peer = i % 2 == 0 ? link.b : link.a;
    x.node = &nodes_[node.value()];
    x.peer = &nodes_[peer.value()];
    x.peer_port = wiring_.port_of(peer, LinkId{static_cast<std::uint16_t>(i / 2)});
    x.framing = direction.framing.count();
    set_times(x, direction.rate);
    x.errors = {topology_.seed, direction.errors.value_or(static_cast<std::uint32_t>(i)), direction.bits_per_error};
    x.error_prone = direction.bits_per_error > 0 || link.vc1_classes != 0;
    x.vc1_classes = link.vc1_classes;
    x.vc1.ingress = wiring_.ingress_of(peer, LinkId{static_cast<std::uint16_t>(i / 2)}, 1);
    x.vc1.turns = {direction.vc_arbitration.vc0_turns, direction.vc_arbitration.vc1_turns};
    x.replay_delay = femtoseconds(direction.replay_delay);
    x.propagation = femtoseconds(direction.propagation);
    x.gate = direction.gate;
    x.update_fc = femtoseconds(direction.update_fc);
    set_dllp_intervals(x, direction.ack_interval, direction.fc_interval);
    for (std::size_t c = 0; c < pcie::tlp_classes; ++c) {
      x.credit[c] = CreditLoop{direction.credits[c]};
      x.credit[pcie::tlp_classes + c] = CreditLoop{direction.vc1_credits[c]};
    }
    x.tallies.resize(topology_.nodes.size() * pcie::purposes);
    if (topology_.nodes[peer.value()].is_endpoint)
      shortest_arrival_ = std::min(shortest_arrival_, x.shortest + x.propagation);
  }
}

void Engine::set_times(Transmitter& x, BitRate rate) {
  x.serialisation.resize(largest_tlp_dw + 1);
  for (std::size_t dw = 0; dw <= largest_tlp_dw; ++dw)
    x.serialisation[dw] = femtoseconds(Bytes{static_cast<std::int64_t>(4 * dw) + x.framing} / rate);
  x.dllp = femtoseconds(pcie::dllp_size / rate);
  x.shortest = x.serialisation[3];
}

void Engine::set_dllp_intervals(Transmitter& x, Duration acks, Duration updates) {
  x.ack_interval = femtoseconds(acks);
  x.fc_interval = femtoseconds(updates);
  x.next_ack = x.ack_interval == 0 ? unknown_time : 0;
  x.next_fc = x.fc_interval == 0 ? unknown_time : 0;
}

void Engine::build_nodes() {
  std::size_t ingresses = 0, leaves = 0;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = topology_.nodes[n];
    nodes_[n].number = static_cast<int>(n);
    nodes_[n].ingresses = wiring_.ingresses(NodeId{static_cast<std::uint16_t>(n)});
    ingresses += static_cast<std::size_t>(nodes_[n].ingresses);
    leaves += node.is_endpoint ? 1 : 0;
  }
  ingresses_.resize(ingresses);
  queues_.resize(ingresses * pcie::tlp_classes);
  leaves_.resize(leaves);
  ingresses = leaves = 0;
  for (NodeState& node : nodes_) {
    const NodeId id{static_cast<std::uint16_t>(node.number)};
    const auto ports = wiring_.ports(id);
    const bool endpoint = topology_.nodes[id.value()].is_endpoint;
    node.queues = &queues_[ingresses * pcie::tlp_classes];
    for (int i = 0; i < node.ingresses; ++i, ++ingresses) {
      Ingress& ingress = ingresses_[ingresses];
      ingress.posted_by.resize(nodes_.size());
      for (std::size_t p = 0; !endpoint && p < ports.size(); ++p)
        if (i == static_cast<int>(p) || i == ports[p].vc1_ingress) {
          ingress.from = &incoming(ports[p]);
          ingress.channel = i == static_cast<int>(p) ? 0 : 1;
        }
      for (int c = 0; c < 3; ++c) {
        Queue& fifo = node.queues[i * 3 + c];
        fifo.ingress = &ingress;
        fifo.slot = static_cast<std::uint8_t>(i * 3 + c);
        fifo.tlp_class = fifo.pool = static_cast<std::uint8_t>(c);
        fifo.bit = std::uint64_t{1} << fifo.slot;
        const bool own_channel = endpoint && i > 0 && i <= topology_.nodes[id.value()].endpoint.channels;
        fifo.takes_tags = own_channel && c == static_cast<int>(pcie::TlpClass::non_posted);
        if (own_channel && c < 2) {
          fifo.flow = static_cast<std::uint32_t>(recurrence_.flows.size());
          recurrence_.flows.emplace_back().queue = &fifo;
          recurrence_.flows.back().node = &node;
        }
      }
    }
    for (const Port& port : ports) {
      Transmitter& x = outgoing(port);
      x.slots = node.ingresses * 3;
      node.two_channels = node.two_channels || x.vc1_classes != 0;
      x.turns = wiring_.turns(topology_, id, port.link);
      x.lookahead = unknown_time;
      for (const Port& other : ports)
        if (!endpoint && other.link != port.link)
          x.lookahead = std::min(
              x.lookahead, incoming(other).propagation + femtoseconds(topology_.nodes[id.value()].router.latency));
    }
    if (endpoint) {
      node.leaf = &leaves_[leaves++];
      node.leaf->node = &node;
      node.leaf->out = &outgoing(ports[0]);
      node.leaf->config = topology_.nodes[id.value()].endpoint;
      node.leaf->rules = {node.leaf->config.max_payload, node.leaf->config.max_read_request,
                          node.leaf->config.max_completion, node.leaf->config.ecrc};
      node.leaf->tally = static_cast<std::uint32_t>(id.value() * pcie::purposes);
      node.leaf->writes = {node.leaf->rules.max_payload, true, node.leaf->rules.ecrc, node.leaf->out->index};
      node.leaf->reads = {node.leaf->rules.max_read_request, false, node.leaf->rules.ecrc, node.leaf->out->index};
      node.leaf->completions = {node.leaf->rules.max_completion, true, node.leaf->rules.ecrc, node.leaf->out->index};
      node.leaf->tags = node.leaf->config.tags;
      node.leaf->vc1_ingress = ports[0].vc1_ingress;
      node.leaf->timeouts = ports[0].vc1_ingress > 0;  // completions of one channel come before those of the other
    } else {
      node.latency = femtoseconds(topology_.nodes[id.value()].router.latency);
      build_routes(node);
    }
  }
}

void Engine::build_routes(NodeState& node) {
  const NodeId id{static_cast<std::uint16_t>(node.number)};
  const auto ports = wiring_.ports(id);
  node.routes.reserve(ports.size() * nodes_.size() * pcie::route_kinds);
  for (std::size_t p = 0; p < ports.size(); ++p)
    for (std::size_t target = 0; target < nodes_.size(); ++target) {
      const int next = wiring_.next_port(id, NodeId{static_cast<std::uint16_t>(target)});
      node.routes.insert(node.routes.end(), pcie::route_kinds,
                         static_cast<std::uint16_t>(outgoing(ports[static_cast<std::size_t>(next)]).index));
    }
}

}  // namespace peerpath::fabric
