#include "fabric/differential/marked.hpp"

#include <algorithm>

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"

namespace peerpath::fabric::differential {
namespace {

void slow_down(Topology& t, NodeId node, BitRate rate) {
  for (Link& link : t.links)
    if (link.a == node || link.b == node) link.direction[link.a == node ? 1 : 0].rate = rate;
}

}  // namespace

void add_marked(Scenario& s) {
  Draw draw{s.seed ^ 0x3a27ced};
  if (!draw.chance(10)) return;
  Topology& t = s.topology;
  std::vector<NodeId> ends = neighbours(t, 0, Endpoints::internal);
  if (ends.size() > 4) ends.resize(4);
  if (ends.size() < 3) return;
  if (draw.chance(80)) {  // by itself
    s.planned.clear(), s.exchanges.clear(), s.flips.clear(), s.changes.clear(), s.faults.clear(), s.gates.clear();
    t.strays = s.observed = false;
    s.quantum = draw.one_of({Duration{1000 * ns}, Duration{10'000 * ns}, s.quantum});
    for (Link& link : t.links)
      for (LinkDirection& d : link.direction) d.bits_per_error = 0;
  }
  slow_down(t, ends[0], BitRate{draw.between(1, 16) * 1'000'000'000});
  slow_down(t, ends[1], BitRate{draw.between(2, 64) * 1'000'000'000});
  const std::int64_t span = draw.between(500, 8000) * ns;
  const auto plan = [&](NodeId from, NodeId to, pcie::Operation op, Bytes bytes) {
    const std::int64_t gap = span / draw.between(4, 40);
    const ChannelIndex channel = new_channel(t, from);
    const bool relaxed = draw.chance(15), by_id = draw.chance(15);
    for (std::int64_t at = draw.between(0, gap); at < span; at += draw.between(0, 2 * gap))
      s.planned.push_back({from,
                           channel,
                           {.target = to,
                            .op = op,
                            .relaxed_ordering = relaxed,
                            .id_based_ordering = by_id,
                            .address = draw.below(64) * 4096,
                            .bytes = bytes,
                            .ready = Instant{Duration{at}}}});
  };
  for (const NodeId from : ends)
    for (const NodeId to : ends) {
      if (from == to) continue;
      if (draw.chance(to == ends[0] ? 90 : 15))
        plan(from, to, pcie::Operation::memory_write, Bytes{64 * draw.between(1, 8)});
      if (draw.chance(from == ends[1] ? 60 : 20))
        plan(from, to, pcie::Operation::memory_read, Bytes{draw.one_of({64, 512, 1024, 4096})});
    }
  sort_planned(s.planned);
  s.end = std::max(s.end, Instant{Duration{span + 2'000'000 * ns}});
}

}  // namespace peerpath::fabric::differential
