#include "fabric/differential/incidents.hpp"

#include <algorithm>

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"
#include "fabric/vocabulary/acs_routes.hpp"
#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric::differential {
namespace {

/// While there is traffic, which ends well before the case does.
Instant some_time(Draw& draw, const Scenario& s) {
  Instant last{};
  for (const Planned& p : s.planned) last = std::max(last, p.transaction.ready);
  for (const Exchange& r : s.exchanges) last = std::max(last, r.begin + Duration{10'000 * ns});
  return Instant{Duration{draw.between(0, femtoseconds(last))}};
}

/// Some port sends spoofed requests to an endpoint of its router from some time on; none if that is not to be had.
void validate_sources(Scenario& s, Draw& draw) {
  const Wiring wiring{s.topology};
  const NodeId router{static_cast<std::uint16_t>(draw.below(s.topology.nodes.size()))};
  const auto ports = wiring.ports(router);
  const Port &trap = ports[draw.below(ports.size())], &in = ports[draw.below(ports.size())];
  if (s.topology.nodes[router.value()].is_endpoint || trap.link == in.link) return;
  Node& taker = s.topology.nodes[trap.peer.value()];
  if (!taker.is_endpoint) return;
  s.topology.strays = true;
  if (draw.chance(50)) taker.endpoint.misdirected = pcie::Status::completer_abort;
  const Instant on = some_time(draw, s), off = on + Duration{draw.between(1, 5000 * ns)};
  const bool ends = draw.chance(60);
  for (std::uint16_t n = 0; n < s.topology.nodes.size(); ++n) {
    const NodeId target{n};
    if (!s.topology.nodes[n].is_endpoint || target == in.peer) continue;
    for (const auto kind : {pcie::RouteKind::spoofed_request, pcie::RouteKind::spoofed_translated_request}) {
      s.flips.push_back({on, {router, in.link, kind, target, trap.link}});
      if (ends) s.flips.push_back({off, {router, in.link, kind, target, wiring.next_link(router, target)}});
    }
  }
}

}  // namespace

void add_gates(Scenario& scenario) {
  Draw draw{scenario.seed ^ 0x6a7e5};
  if (!draw.chance(40)) return;
  for (std::size_t l = 0; l < scenario.topology.links.size(); ++l)
    for (int direction = 0; direction < 2; ++direction)
      if (draw.chance(30)) scenario.gates.push_back({LinkId{static_cast<std::uint16_t>(l)}, direction, draw.next()});
  for (Planned& p : scenario.planned) {
    p.transaction.translated = draw.chance(30);
    p.transaction.translation = !p.transaction.translated && draw.chance(15);
  }
}

void refuse_writes(Scenario& scenario) {
  Draw draw{scenario.seed ^ 0x90150};
  if (!draw.chance(20)) return;
  for (Planned& p : scenario.planned)
    if (request_class(p.transaction.op) == pcie::TlpClass::posted && draw.chance(15))
      p.transaction.answer =
          draw.one_of({pcie::Status::unsupported_request, pcie::Status::completer_abort, pcie::Status::poisoned});
}

void add_spoofs(Scenario& s) {
  Draw draw{s.seed ^ 0x5b00f};
  if (!draw.chance(20)) return;
  // Reads without answer keep receivers with one queue from ending in a deadlock.
  if (std::ranges::any_of(s.topology.nodes, [](const Node& n) { return n.endpoint.one_queue > 0; }) && draw.chance(80))
    return;
  const int share = draw.one_of({2, 20, 60, 100}), unanswered = draw.one_of({0, 50, 100});
  for (Planned& p : s.planned) {
    Transaction& t = p.transaction;
    t.spoofed = draw.chance(share);
    if (t.spoofed && request_class(t.op) == pcie::TlpClass::non_posted && draw.chance(unanswered))
      t.answer = pcie::Status::no_answer;
  }
  if (draw.chance(30)) return;
  for (int tries = draw.small(2, 8); tries > 0; --tries) validate_sources(s, draw);
  sort_by_time(s.flips);
}

void add_retrains(Scenario& s) {
  Draw draw{s.seed ^ 0x2e72a1};
  if (!draw.chance(15)) return;
  for (int i = draw.small(1, 3); i > 0; --i) {
    const LinkId link{static_cast<std::uint16_t>(draw.below(s.topology.links.size()))};
    const Instant down = some_time(draw, s), up = down + Duration{draw.between(1, 3000 * ns)};
    s.faults.push_back({down, link, false});
    s.faults.push_back({up, link, true});
    for (const int direction : {0, 1}) {
      const BitRate before = s.topology.links[link.value()].direction[static_cast<std::size_t>(direction)].rate;
      const BitRate rate{std::max<std::int64_t>(before.bps() / draw.one_of({1, 2, 4, 8}), 1'000'000'000)};
      const LineTiming timing{rate, Bytes{draw.one_of({0, 8})}, Duration{draw.one_of({0, 20, 200}) * ns},
                              Duration{draw.one_of({0, 20, 200}) * ns}};
      s.changes.push_back({.at = draw.chance(50) ? down : up,
                           .kind = draw.chance(50) ? Change::Kind::rate : Change::Kind::timing,
                           .link = link,
                           .direction = direction,
                           .rate = rate,
                           .timing = timing});
    }
  }
  sort_by_time(s.faults), sort_by_time(s.changes);
}

void add_removals(Scenario& s) {
  Draw draw{s.seed ^ 0x5049e};
  if (!draw.chance(8)) return;
  const Wiring wiring{s.topology};
  const NodeId gone{static_cast<std::uint16_t>(draw.below(s.topology.nodes.size()))};
  if (!s.topology.nodes[gone.value()].is_endpoint) return;
  const NodeId router = wiring.ports(gone).front().peer;
  const Instant at = some_time(draw, s);
  for (const Port& trap : wiring.ports(router)) {
    if (trap.peer == gone || !s.topology.nodes[trap.peer.value()].is_endpoint) continue;
    s.topology.strays = true;
    for (const Port& in : wiring.ports(router))
      for (const auto& [name, kind] : enum_names(pcie::RouteKind{}))
        s.flips.push_back({at, {router, in.link, kind, gone, trap.link}});
    if (draw.chance(40)) s.faults.push_back({at, wiring.ports(gone).front().link, false});
    break;
  }
  sort_by_time(s.faults), sort_by_time(s.flips);
}

void add_acs(Scenario& s) {
  Draw draw{s.seed ^ 0xac5};
  if (!draw.chance(10)) return;
  const Wiring wiring{s.topology};
  AcsHierarchy hierarchy;
  hierarchy.roots[0].peer_to_peer = draw.chance(70);
  Draw spoofing{s.seed ^ 0xac55};
  hierarchy.spoofing = spoofing.chance(50);
  hierarchy.roots[0].iommu = spoofing.chance(50);
  bool has_memory = false;
  for (const Port& port : wiring.ports(hierarchy.roots[0].root))
    if (s.topology.nodes[port.peer.value()].is_endpoint) hierarchy.roots[0].memory = port.link, has_memory = true;
  if (!has_memory) return;
  const auto set = [&](Instant at) {
    for (const Route& route : acs_routes(s.topology, hierarchy)) s.flips.push_back({at, route});
  };
  const bool same = draw.chance(50);
  for (std::uint16_t l = 0; l < s.topology.links.size(); ++l)
    if (same || draw.chance(60))
      hierarchy.ports[LinkId{l}] = {
          .control = same ? pcie::acs::linux_default : static_cast<std::uint16_t>(draw.below(128)),
          .egress_vector = draw.chance(50) ? 0 : draw.next()};
  s.topology.strays = true;
  const Instant on = some_time(draw, s);
  set(on);
  hierarchy.ports.clear();
  if (draw.chance(60)) set(on + Duration{draw.between(1, 5000 * ns)});
  sort_by_time(s.flips);
}

}  // namespace peerpath::fabric::differential
