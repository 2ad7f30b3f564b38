// The event-driven reference: what a topology is made into.
#include <utility>

#include "fabric/reference/state.hpp"

namespace peerpath::fabric::reference {

namespace {

/// Largest TLP: header, digest, and 4 KiB that begin within a double word.
constexpr int most_double_words = 4 + 1 + 1024 + 1;

Duration time_for(Bytes bytes, BitRate rate) { return rate == BitRate{} ? Duration{0} : bytes / rate; }

}  // namespace

State::State(const Topology& topology_at_first, DeliverySink& takes_deliveries, Flaw planted)
    : topology{topology_at_first}, wiring{topology}, sink{&takes_deliveries}, flaw{planted} {
  build_transmitters();
  build_stations();
}

void State::build_transmitters() {
  for (std::size_t l = 0; l < topology.links.size(); ++l)
    for (int d = 0; d < 2; ++d) {
      Link& link = topology.links[l];
      Transmitter t;
      t.direction = &link.direction[static_cast<std::size_t>(d)];
      t.link = LinkId{static_cast<std::uint16_t>(l)};
      t.number = d;
      t.from = d == 0 ? link.a : link.b;
      t.to = d == 0 ? link.b : link.a;
      t.opposite = static_cast<std::uint32_t>(2 * l + static_cast<std::size_t>(1 - d));
      t.to_ingress = static_cast<std::size_t>(wiring.port_of(t.to, t.link));
      t.set_rate(t.direction->rate);
      const auto place = static_cast<std::uint32_t>(2 * l + static_cast<std::size_t>(d));
      t.errors = {topology.seed, t.direction->errors.value_or(place), t.direction->bits_per_error};
      t.vc1_classes = link.vc1_classes;
      t.vc_ingress = static_cast<std::size_t>(wiring.ingress_of(t.to, t.link, 1));
      t.channels[0].turns = t.direction->vc_arbitration.vc0_turns;
      t.channels[1].turns = t.direction->vc_arbitration.vc1_turns;
      for (std::size_t pool = 0; pool < pools; ++pool) {
        const std::size_t c = pool % pcie::tlp_classes;
        t.advertised[pool] = pool == c ? t.direction->credits[c] : t.direction->vc1_credits[c];
        t.header[pool] = t.advertised[pool].header + (flaw == Flaw::credits ? 1 : 0);
        t.data[pool] = t.advertised[pool].data;
      }
      t.tallies.resize(topology.nodes.size() * pcie::purposes);
      t.accounts.resize(topology.accounts);
      t.turns = wiring.turns(topology, t.from, t.link);
      t.slots = static_cast<std::size_t>(wiring.ingresses(t.from)) * pcie::tlp_classes;
      for (auto& channel : t.channels) channel.last_start.resize(t.slots);
      t.port = static_cast<std::size_t>(wiring.port_of(t.from, t.link));
      transmitters.push_back(std::move(t));
    }
}

void Transmitter::set_rate(BitRate rate) {
  ser.clear();
  for (int dw = 0; dw <= most_double_words; ++dw) ser.push_back((Bytes{4 * dw} + direction->framing) / rate);
  ser_dllp = pcie::dllp_size / rate;
}

void State::build_stations() {
  const std::size_t nodes = topology.nodes.size();
  for (std::size_t n = 0; n < nodes; ++n) {
    const NodeId id{static_cast<std::uint16_t>(n)};
    const Endpoint& e = topology.nodes[n].endpoint;
    Station s;
    s.node = &topology.nodes[n];
    for (const Port& port : wiring.ports(id))
      s.outgoing.push_back(static_cast<std::uint32_t>(2 * port.link.value() + port.outgoing));
    const std::size_t lanes = s.node->is_endpoint ? 1 : 2 * s.outgoing.size();
    s.ingresses.resize(lanes * static_cast<std::size_t>(wiring.ingresses(id)));
    s.fifos.resize(s.ingresses.size() * pcie::tlp_classes);
    for (Ingress& ingress : s.ingresses) ingress.last_posted.resize(nodes);
    if (s.node->is_endpoint) {
      s.rules = {e.max_payload, e.max_read_request, e.max_completion, e.ecrc};
      s.tags = e.tags;
      s.vc1_completions = static_cast<std::size_t>(wiring.ports(id).front().vc1_ingress);
      for (std::size_t pool = 0; pool < pools; ++pool)
        for (int dw = 0; dw <= most_double_words; ++dw) {
          const ServiceTime& time = e.service[pool % pcie::tlp_classes];
          s.servers[pool].service.push_back(time.per_tlp + time_for(Bytes{4 * dw}, time.rate));
        }
    } else {
      for (std::size_t i = 0; i < s.outgoing.size(); ++i)
        for (std::size_t to = 0; to < nodes; ++to) {
          const int port = wiring.next_port(id, NodeId{static_cast<std::uint16_t>(to)});
          s.routes.insert(s.routes.end(), pcie::route_kinds, s.outgoing[static_cast<std::size_t>(port)]);
        }
    }
    stations.push_back(std::move(s));
  }
}

}  // namespace peerpath::fabric::reference
