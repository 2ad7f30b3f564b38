#include "fabric/differential/arbitration.hpp"

#include <algorithm>

#include "fabric/differential/draw.hpp"
#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric::differential {

void add_weights(Scenario& scenario) {
  Draw draw{scenario.seed ^ 0x3e19475};
  if (!draw.chance(25)) return;
  Topology& t = scenario.topology;
  const Wiring wiring{t};
  for (std::size_t n = 0; n < t.nodes.size(); ++n) {
    if (t.nodes[n].is_endpoint) continue;
    const NodeId router{static_cast<std::uint16_t>(n)};
    for (const Port& out : wiring.ports(router))
      for (const Port& in : wiring.ports(router))
        if (draw.chance(40)) t.weights.push_back({router, in.link, out.link, draw.small(1, 6)});
  }
}

namespace {

/// Whether both ends of a link have room for the queues of VC 1.
bool has_room(const Topology& t, const Link& link) {
  const Wiring wiring{t};
  const auto room = [&](NodeId node) {
    const Node& n = t.nodes[node.value()];
    return wiring.ingresses(node) < static_cast<int>(max_ingresses) && !(n.is_endpoint && n.endpoint.one_queue > 0);
  };
  return room(link.a) && room(link.b);
}

void add_channel(Topology& t, Link& link, Draw& draw, bool alike) {
  if (!has_room(t, link)) return;
  link.vc1_classes = alike ? 2 : static_cast<std::uint8_t>(2 * draw.small(1, 127));
  const bool tight = draw.chance(50);
  constexpr std::array<int, pcie::tlp_classes> least{32, 3, 32};
  for (LinkDirection& d : link.direction) {
    for (std::size_t c = 0; c < pcie::tlp_classes && tight; ++c)
      d.vc1_credits[c] = {draw.small(1, 6), draw.chance(20) ? 0 : draw.small(least[c], 3 * least[c])};
    if (draw.chance(50)) d.vc_arbitration = {draw.small(1, 5), draw.small(1, 5)};
  }
}

}  // namespace

void add_channels(Scenario& scenario) {
  Draw draw{scenario.seed ^ 0x7c2c};
  if (!draw.chance(20)) return;
  const bool alike = draw.chance(50), everywhere = draw.chance(50), mixed = draw.chance(30);
  for (Link& link : scenario.topology.links)
    if (everywhere || draw.chance(50)) add_channel(scenario.topology, link, draw, alike);
  const auto any = [&] { return static_cast<std::uint8_t>(alike ? draw.small(0, 1) : draw.small(0, 7)); };
  std::vector<std::array<std::uint8_t, max_ingresses>> by_channel(scenario.topology.nodes.size());
  for (auto& node : by_channel)
    for (std::uint8_t& traffic_class : node) traffic_class = any();
  for (Planned& p : scenario.planned)
    p.transaction.traffic_class = mixed ? any() : by_channel[p.requester.value()][p.channel.value()];
  for (Exchange& exchange : scenario.exchanges) exchange.traffic_class = any();
}

}  // namespace peerpath::fabric::differential
