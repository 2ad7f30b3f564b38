#include "fabric/differential/arbitration.hpp"

#include "fabric/differential/draw.hpp"
#include "fabric/wiring.hpp"

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

}  // namespace peerpath::fabric::differential
