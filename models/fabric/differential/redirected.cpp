#include "fabric/differential/redirected.hpp"

#include <algorithm>

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"
#include "fabric/vocabulary/acs_routes.hpp"
#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric::differential {
namespace {}  // namespace

bool redirect(Scenario& s, Draw& draw, Duration span) {
  const Wiring wiring{s.topology};
  AcsHierarchy hierarchy;
  bool has_memory = false;
  for (const Port& port : wiring.ports(NodeId{}))
    if (s.topology.nodes[port.peer.value()].is_endpoint) hierarchy.roots[0].memory = port.link, has_memory = true;
  if (!has_memory) return false;
  for (std::uint16_t l = 0; l < s.topology.links.size(); ++l)
    hierarchy.ports[LinkId{l}] = {.control = pcie::acs::linux_default, .egress_vector = 0};
  const auto set = [&](Instant at) {
    for (const Route& route : acs_routes(s.topology, hierarchy)) s.flips.push_back({at, route});
  };
  set({});
  s.topology.strays = true;
  if (draw.chance(60)) return true;
  hierarchy.ports.clear();
  set(Instant{Duration{draw.between(1, span.count())}});
  return true;
}

void add_redirected(Scenario& s) {
  Draw draw{s.seed ^ 0x4ed14ec7};
  if (!draw.chance(15)) return;
  Topology& t = s.topology;
  const std::vector<NodeId> ends = neighbours(t, 1, Endpoints::all);  // of a switch below the root
  if (ends.size() < 2) return;
  const Wiring wiring{t};
  if (std::ranges::none_of(wiring.ports(NodeId{}),
                           [&](const Port& port) { return t.nodes[port.peer.value()].is_endpoint; }))
    return;
  if (draw.chance(80)) {  // by itself
    s.planned.clear(), s.exchanges.clear(), s.flips.clear(), s.changes.clear(), s.faults.clear();
    s.observed = false;
    s.quantum = draw.one_of({Duration{1000 * ns}, Duration{10'000 * ns}, s.quantum});
    for (Link& link : t.links)
      for (LinkDirection& d : link.direction) d.bits_per_error = 0;
  }
  if (draw.chance(60))
    for (Link& link : t.links) {
      const bool leaf = t.nodes[link.a.value()].is_endpoint || t.nodes[link.b.value()].is_endpoint;
      for (LinkDirection& d : link.direction)
        d.rate = leaf && draw.chance(60) ? BitRate{252'061'538'461} : BitRate{504'123'076'923};
    }
  const std::int64_t span = draw.between(1000, 8000) * ns;
  redirect(s, draw, Duration{span});
  const int streams = draw.small(1, 4);
  const bool jittered = draw.chance(30);
  for (int i = 0; i < streams; ++i) {
    const NodeId from = ends[draw.below(ends.size())], to = ends[draw.below(ends.size())];
    if (from == to) continue;
    const ChannelIndex channel = new_channel(t, from);
    const Bytes bytes{draw.one_of({64, 256, 1024, 4096, 4096})};
    const bool reads = draw.chance(15);
    const Link& link = t.links[wiring.ports(from).front().link.value()];
    const Duration gap = bytes / link.direction[0].rate * draw.between(100, 400) / 100;
    std::uint64_t packet = 0;
    for (std::int64_t at = draw.between(0, gap.count()); at < span && packet < 200; ++packet) {
      s.planned.push_back(
          {from,
           channel,
           {.target = to,
            .op = reads || draw.chance(2) ? pcie::Operation::memory_read : pcie::Operation::memory_write,
            .address = packet * 4096,
            .bytes = bytes,
            .ready = Instant{Duration{at}}}});
      at += jittered ? draw.between(0, 2 * gap.count()) : gap.count();
    }
  }
  sort_planned(s.planned);
  sort_by_time(s.flips);
  s.end = std::max(s.end, Instant{Duration{span + 2'000'000 * ns}});
}

}  // namespace peerpath::fabric::differential
