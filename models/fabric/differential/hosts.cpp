#include "fabric/differential/hosts.hpp"

#include <algorithm>
#include <tuple>

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"

namespace peerpath::fabric::differential {
namespace {

/// Numbers of a topology that comes to stand behind another one.
class Behind {
 public:
  explicit Behind(const Topology& first) : nodes_{first.nodes.size()}, links_{first.links.size()} {}

  NodeId operator()(NodeId node) const { return NodeId{static_cast<std::uint16_t>(node.value() + nodes_)}; }
  LinkId operator()(LinkId link) const { return LinkId{static_cast<std::uint16_t>(link.value() + links_)}; }
  Seat operator()(Seat seat) const { return {(*this)(seat.node), seat.channel}; }

 private:
  std::size_t nodes_, links_;
};

void add_topology(Topology& t, const Topology& other, const Behind& behind) {
  for (Node node : other.nodes) {
    node.name += " of the second host";
    t.nodes.push_back(std::move(node));
  }
  for (Link link : other.links) {
    link.a = behind(link.a), link.b = behind(link.b);
    t.links.push_back(link);
  }
  for (const Weight& w : other.weights)
    t.weights.push_back({behind(w.router), behind(w.ingress), behind(w.egress), w.turns});
  t.strays = t.strays || other.strays;
  t.reconfigures = t.reconfigures || other.reconfigures;
}

/// Endpoints of one tree that answer by themselves.
std::vector<NodeId> ends(const Topology& t, std::size_t first, std::size_t last) {
  std::vector<NodeId> all;
  for (std::size_t n = first; n < last; ++n)
    if (t.nodes[n].is_endpoint && !t.nodes[n].endpoint.external) all.push_back(NodeId{static_cast<std::uint16_t>(n)});
  return all;
}

/// Two different ones: the NIC, and the memory that it reads or writes.
std::pair<Seat, Seat> seats(Topology& t, Draw& draw, const std::vector<NodeId>& all) {
  const std::size_t nic = draw.below(all.size()), memory = (nic + 1 + draw.below(all.size() - 1)) % all.size();
  return {{all[nic], new_channel(t, all[nic])}, {all[memory], {}}};
}

void add_cables(Scenario& s, Draw& draw, std::size_t first_of_second) {
  Topology& t = s.topology;
  const auto here = ends(t, 0, first_of_second), there = ends(t, first_of_second, t.nodes.size());
  if (here.size() < 2 || there.size() < 2) return;
  t.side_latency = Duration{draw.one_of<std::int64_t>({0, draw.between(1, 100 * ns), draw.between(1, 3000) * ns})};
  for (int i = draw.small(1, 3); i > 0; --i) {
    Exchange r;
    r.kind = Exchange::Kind::cable;
    std::tie(r.a, r.b) = seats(t, draw, here);
    std::tie(r.c, r.d) = seats(t, draw, there);
    if (draw.chance(50)) std::swap(r.a, r.c), std::swap(r.b, r.d);
    r.depth = draw.one_of({1, 2, 8, 32});
    r.rounds = draw.small(20, 300);
    r.bytes = Bytes{draw.one_of<std::int64_t>({64, 1024, 4096, draw.between(1, 5000)})};
    r.think = Duration{draw.one_of<std::int64_t>({0, 0, draw.between(0, 500 * ns)})};
    r.begin = Instant{Duration{draw.between(0, 3000 * ns)}};
    s.end = std::max(s.end, r.begin + Duration{200'000 * ns});
    s.exchanges.push_back(r);
  }
}

}  // namespace

void add_host(Scenario& s, const Scenario& other) {
  Draw draw{s.seed ^ 0x405700};
  const std::size_t nodes = s.topology.nodes.size();
  const Behind behind{s.topology};
  add_topology(s.topology, other.topology, behind);
  for (auto [requester, channel, t] : other.planned) {
    t.target = behind(t.target);
    s.planned.push_back({behind(requester), channel, t});
  }
  for (Exchange r : other.exchanges) {
    r.a = behind(r.a), r.b = behind(r.b), r.c = behind(r.c);
    s.exchanges.push_back(std::move(r));
  }
  for (GatePlace g : other.gates) g.link = behind(g.link), s.gates.push_back(g);
  for (Fault f : other.faults) f.link = behind(f.link), s.faults.push_back(f);
  for (Change c : other.changes) c.link = behind(c.link), s.changes.push_back(c);
  for (const auto& [at, r] : other.flips)
    s.flips.push_back({at, {behind(r.router), behind(r.ingress), r.kind, behind(r.target), behind(r.egress)}});
  s.foreign_latency = std::max(s.foreign_latency, other.foreign_latency);
  s.end = std::max(s.end, other.end);
  s.shape = Shape::hosts;
  if (draw.chance(70)) add_cables(s, draw, nodes);
  sort_planned(s.planned);
  sort_by_time(s.faults), sort_by_time(s.flips), sort_by_time(s.changes);
}

void add_promises(Scenario& s) {
  Draw draw{s.seed ^ 0x9407155};
  if (!draw.chance(30)) return;
  s.topology.reconfigures = false;
  if (!s.is_cabled()) s.topology.side_latency = std::chrono::hours{1};
}

}  // namespace peerpath::fabric::differential
