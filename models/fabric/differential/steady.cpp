#include "fabric/differential/steady.hpp"

#include <algorithm>

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"
#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric::differential {
namespace {}  // namespace

Instant add_steady(Scenario& s, const std::vector<NodeId>& endpoints) {
  Draw draw{s.seed ^ 0x57ead};
  if (!draw.chance(15)) return {};
  const Wiring wiring{s.topology};
  const auto router_of = [&](NodeId node) { return wiring.ports(node).front().peer; };
  const NodeId from = endpoints[draw.below(endpoints.size())];
  NodeId to = from;
  for (const NodeId other : endpoints)
    if (other != from && router_of(other) == router_of(from) && (to == from || draw.chance(30))) to = other;
  if (to == from) return {};
  if (draw.chance(80)) {  // by itself
    s.planned.clear(), s.exchanges.clear(), s.flips.clear(), s.changes.clear();
    s.topology.strays = s.observed = false;
    s.quantum = draw.one_of({Duration{1000 * ns}, Duration{10'000 * ns}, Duration{700 * ns}, s.quantum});
    for (Link& link : s.topology.links)
      for (LinkDirection& d : link.direction) d.bits_per_error = 0;
  }
  Endpoint& target = s.topology.nodes[to.value()].endpoint;
  target.external = false;
  target.read_jitter = {};
  if (draw.chance(90))
    target.max_completion = std::min(target.max_payload, draw.one_of({Bytes{64}, Bytes{128}, Bytes{256}}));
  const Bytes size = draw.one_of({Bytes{256}, Bytes{1024}, Bytes{4096}, Bytes{4096}, Bytes{8192}});
  Duration slowest{};
  for (const NodeId end : {from, to})
    for (const LinkDirection& d : s.topology.links[wiring.ports(end).front().link.value()].direction)
      slowest = std::max(slowest, size / d.rate);
  const Duration gap = slowest * draw.one_of({0, 90, 120, 150, 150, 200, 300}) / 100 +
                       Duration{draw.chance(50) ? draw.between(0, 20 * ns) : 0};
  const Instant begin{Duration{draw.between(0, 500 * ns)}};
  const std::int64_t reads = draw.between(20, 300);
  Instant last{};
  const auto add = [&](NodeId requester, ChannelIndex channel, Transaction t) {
    last = std::max(last, t.ready);
    s.planned.push_back({requester, channel, t});
  };
  const ChannelIndex channel = new_channel(s.topology, from), other = new_channel(s.topology, from),
                     back = new_channel(s.topology, to);
  for (std::int64_t i = 0; i < reads; ++i) {
    const std::uint64_t address = static_cast<std::uint64_t>(draw.chance(50) ? i : i % 7) * 8192;
    add(from, channel,
        {.target = to,
         .op = pcie::Operation::memory_read,
         .address = address,
         .bytes = size,
         .ready = begin + i * gap});
  }
  for (int i = draw.chance(40) ? draw.small(1, 6) : 0; i > 0; --i) {  // what disturbs them
    const Instant ready = begin + Duration{draw.between(0, reads * gap.count())};
    const pcie::Operation op = draw.chance(70) ? pcie::Operation::memory_write : pcie::Operation::memory_read;
    const Bytes bytes{draw.between(1, 600)};
    if (draw.chance(50))
      add(from, other, {.target = to, .op = op, .bytes = bytes, .ready = ready});
    else
      add(to, back, {.target = from, .op = op, .bytes = bytes, .ready = ready});
  }
  return last;
}

}  // namespace peerpath::fabric::differential
