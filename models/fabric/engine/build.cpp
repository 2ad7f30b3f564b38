// From a topology to the parts of the engine.

#include <algorithm>

#include "fabric/engine/state.hpp"
#include "fabric/engine/timing.hpp"

namespace peerpath::fabric::engine {

namespace {

/// Double words of the largest TLP: header, digest, 4 KiB of data that starts inside a double word.
constexpr std::size_t largest_tlp_dw = 4 + 1 + 1025;

/// Ways by which credits come back from the far end: of a router one for each port and virtual channel that it sends
/// by.
std::size_t streams_at(const State& state, NodeId node) {
  return state.topology.nodes[node.value()].is_endpoint ? 1 : 2 * state.wiring.ports(node).size();
}

void build_transmitter(State& state, std::size_t index) {
  const Link& link = state.topology.links[index / 2];
  const LinkDirection& direction = link.direction[index % 2];
  const LinkId id{static_cast<std::uint16_t>(index / 2)};
  const NodeId node = index % 2 == 0 ? link.a : link.b, peer = index % 2 == 0 ? link.b : link.a;
  Transmitter& x = state.transmitters[index];
  x.index = static_cast<int>(index);
  x.reverse = &state.transmitters[index ^ 1];
  x.node = &state.nodes[node.value()];
  x.peer = &state.nodes[peer.value()];
  x.peer_port = state.wiring.port_of(peer, id);
  x.peer_vc1_ingress = state.wiring.ingress_of(peer, id, 1);
  x.arbiter = Arbiter{state.wiring.turns(state.topology, node, id), direction.vc_arbitration};
  x.framing = direction.framing.count();
  set_times(x, direction.rate);
  set_dllp_intervals(x, direction.ack_interval, direction.fc_interval);
  x.errors = {state.topology.seed, direction.errors.value_or(static_cast<std::uint32_t>(index)),
              direction.bits_per_error};
  x.error_prone = direction.bits_per_error > 0;
  x.vc1_classes = link.vc1_classes;
  x.replay_delay = femtoseconds(direction.replay_delay);
  x.propagation = femtoseconds(direction.propagation);
  x.gate = direction.gate;
  x.update_fc = femtoseconds(direction.update_fc);
  for (std::size_t c = 0; c < pcie::tlp_classes; ++c) {
    x.credit[c] = CreditLoop{direction.credits[c], streams_at(state, peer)};
    x.credit[pcie::tlp_classes + c] = CreditLoop{direction.vc1_credits[c], streams_at(state, peer)};
  }
  x.tallies.resize(state.topology.nodes.size() * pcie::purposes);
  x.accounts.resize(state.topology.accounts);
  if (state.topology.nodes[peer.value()].is_endpoint)
    state.shortest_arrival = std::min(state.shortest_arrival, x.shortest + x.propagation);
}

/// The three FIFOs of each lane of a node, the lanes one ingress after the other.
void build_fifos(NodeState& node, std::size_t nodes) {
  node.fifos.resize(node.lanes.size() * pcie::tlp_classes);
  for (std::size_t i = 0; i < node.fifos.size(); ++i) {
    Fifo& fifo = node.fifos[i];
    fifo.lane = &node.lanes[i / pcie::tlp_classes];
    fifo.slot = static_cast<std::uint8_t>(i % (static_cast<std::size_t>(node.ingresses) * pcie::tlp_classes));
    fifo.tlp_class = static_cast<std::uint8_t>(i % pcie::tlp_classes);
    fifo.bit = std::uint64_t{1} << fifo.slot;
    fifo.set_channel(0);
  }
  for (Lane& lane : node.lanes) lane.posted_by.resize(nodes);
}

/// A lane takes in what comes by one virtual channel of `from`; the credits go back by `stream`.
void feed(NodeState& node, std::size_t lane, Transmitter& from, std::size_t channel, std::size_t stream) {
  node.lanes[lane].from = &from;
  node.lanes[lane].stream = static_cast<std::uint8_t>(stream);
  for (std::size_t c = 0; c < pcie::tlp_classes; ++c)
    if (CreditLoop& credit = from.credit[channel * pcie::tlp_classes + c]; credit.limited())
      node.fifos[lane * pcie::tlp_classes + c].held = &credit;
}

void build_router(State& state, NodeState& node) {
  const auto ports = state.wiring.ports(node.id);
  const auto ingresses = static_cast<std::size_t>(node.ingresses);
  node.latency = femtoseconds(state.topology.nodes[node.id.value()].router.latency);
  node.lanes.resize(2 * ports.size() * ingresses);
  build_fifos(node, state.nodes.size());
  for (std::size_t port = 0; port < ports.size(); ++port) {
    Transmitter& x = state.outgoing(ports[port]);
    for (std::size_t channel = 0; channel < 2; ++channel) {
      const std::size_t stream = port * 2 + channel, first = stream * ingresses;
      x.fifos[channel] = &node.fifos[first * pcie::tlp_classes];
      for (std::size_t i = 0; i < ingresses * pcie::tlp_classes; ++i) {
        x.fifos[channel][i].out = &x;
        x.fifos[channel][i].set_channel(static_cast<std::uint8_t>(channel));
      }
      for (std::size_t from = 0; from < ports.size(); ++from) {
        Transmitter& incoming = *state.outgoing(ports[from]).reverse;
        feed(node, first + from, incoming, 0, stream);
        if (ports[from].vc1_ingress >= 0)
          feed(node, first + static_cast<std::size_t>(ports[from].vc1_ingress), incoming, 1, stream);
      }
    }
    x.lookahead = unknown_time;
    for (const Port& other : ports)
      if (other.link != ports[port].link)
        x.lookahead = std::min(x.lookahead, state.outgoing(other).reverse->propagation + node.latency);
  }
  for (std::size_t port = 0; port < ports.size(); ++port)
    for (std::size_t target = 0; target < state.nodes.size(); ++target) {
      const int next = state.wiring.next_port(node.id, NodeId{static_cast<std::uint16_t>(target)});
      node.routes.insert(node.routes.end(), pcie::route_kinds, &state.outgoing(ports[static_cast<std::size_t>(next)]));
    }
}

void build_endpoint(State& state, NodeState& node, EndpointState& own) {
  const Port& port = state.wiring.ports(node.id)[0];
  node.lanes.resize(static_cast<std::size_t>(node.ingresses));
  build_fifos(node, state.nodes.size());
  node.endpoint = &own;
  own.node = &node;
  own.out = &state.outgoing(port);
  own.out->fifos = {node.fifos.data(), node.fifos.data()};
  own.out->lookahead = unknown_time;
  own.config = state.topology.nodes[node.id.value()].endpoint;
  own.rules = {own.config.max_payload, own.config.max_read_request, own.config.max_completion, own.config.ecrc};
  own.writes = {own.rules.max_payload, true, own.rules.ecrc};
  own.reads = {own.rules.max_read_request, false, own.rules.ecrc};
  own.completions = {own.rules.max_completion, true, own.rules.ecrc};
  own.tally = static_cast<std::uint32_t>(node.id.value() * pcie::purposes);
  own.tags = own.config.tags;
  own.occupancy.fill(std::vector<Femto>(largest_tlp_dw, -1));
  own.vc1_ingress = port.vc1_ingress;
  own.timeouts = port.vc1_ingress > 0;  // completions of one channel come before those of the other
  for (Fifo& fifo : node.fifos) {
    const int ingress = fifo.slot / static_cast<int>(pcie::tlp_classes);
    fifo.out = own.out;
    fifo.takes_tags = ingress > 0 && ingress <= own.config.channels &&
                      fifo.tlp_class == static_cast<std::uint8_t>(pcie::TlpClass::non_posted);
  }
}

/// Whoever notices something may tell the endpoint beside the fabric, or send it what it answers or reacts to.
void set_hearsay(const State& state, EndpointState& endpoint) {
  const Duration answer = std::min(endpoint.config.reaction, endpoint.config.read_latency);
  endpoint.hearsay = state.side_latency;
  for (const EndpointState& other : state.endpoints) {
    const NodeId from = other.node->id, to = endpoint.node->id;
    const bool reacts = other.config.reaction < Duration{unknown_time / 2};
    if (from == to || !reacts || !state.wiring.connected(from, to)) continue;
    Femto way = femtoseconds(other.config.reaction + answer);
    for (NodeId at = from; at != to;) {
      const Port& port = state.wiring.ports(at)[static_cast<std::size_t>(state.wiring.next_port(at, to))];
      const Transmitter& x = state.transmitters[port.link.value() * 2u + static_cast<unsigned>(port.outgoing)];
      way += x.propagation + x.peer->latency;
      at = port.peer;
    }
    endpoint.hearsay = std::min(endpoint.hearsay, way);
  }
}

}  // namespace

void set_times(Transmitter& x, BitRate rate) {
  x.serialisation.resize(largest_tlp_dw + 1);
  for (std::size_t dw = 0; dw <= largest_tlp_dw; ++dw)
    x.serialisation[dw] = femtoseconds(Bytes{static_cast<std::int64_t>(4 * dw) + x.framing} / rate);
  x.dllp = femtoseconds(pcie::dllp_size / rate);
  x.shortest = x.serialisation[3];
}

void set_dllp_intervals(Transmitter& x, Duration acks, Duration updates) {
  x.ack_interval = femtoseconds(acks);
  x.fc_interval = femtoseconds(updates);
  x.next_ack = x.ack_interval == 0 ? unknown_time : 0;
  x.next_fc = x.fc_interval == 0 ? unknown_time : 0;
}

State::State(const Topology& built, DeliverySink& told)
    : topology{built},
      wiring{topology},
      sink{told},
      transmitters(topology.links.size() * 2),
      nodes(topology.nodes.size()),
      endpoints(static_cast<std::size_t>(std::ranges::count_if(topology.nodes, &Node::is_endpoint))),
      decisions{topology.links.size() * 2},
      side_latency{femtoseconds(topology.side_latency)} {
  for (std::size_t i = 0; i < transmitters.size(); ++i) build_transmitter(*this, i);
  std::size_t next = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    nodes[n].id = NodeId{static_cast<std::uint16_t>(n)};
    nodes[n].ingresses = wiring.ingresses(nodes[n].id);
    if (topology.nodes[n].is_endpoint)
      build_endpoint(*this, nodes[n], endpoints[next++]);
    else
      build_router(*this, nodes[n]);
  }
  for (Transmitter& x : transmitters)
    if (x.peer->endpoint == nullptr)
      x.routes = &x.peer->routes[static_cast<std::size_t>(x.peer_port) * nodes.size() * pcie::route_kinds];
  for (EndpointState& each : endpoints) set_hearsay(*this, each);
  for (const EndpointState& each : endpoints) {
    if (each.config.one_queue == 0) continue;
    one_queue = true;
    shortest_arrival = std::min(shortest_arrival, each.out->shortest);  // a start here lets in what waits here
  }
}

}  // namespace peerpath::fabric::engine
