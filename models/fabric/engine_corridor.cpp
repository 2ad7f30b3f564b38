// The way from one leaf through one router to another leaf when nobody else can use it: packet after packet is taken
// over both links at once, without queueing it at the router and without deciding who is next.

#include <algorithm>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

/// Whether all that may still reach the leaf behind `z` comes from `source`, on one way and therefore in order.
bool Engine::sole_source(const Transmitter& z, const NodeState& source) const {
  return z.peer->leaf != nullptr && z.peer->leaf->only_peer == source.number;
}

/// Whether all that comes to `to` over `x`, now and later, leaves the router by `z`, and nothing came another way.
bool Engine::only_way(const Transmitter& x, const Transmitter& z, NodeId to) const {
  if (may_stray_ || old_runs_ > 0 || z.peer->number != to.value()) return false;
  const std::size_t first = (static_cast<std::size_t>(x.peer_port) * nodes_.size() + to.value()) * pcie::route_kinds;
  return std::ranges::all_of(std::span{x.peer->routes}.subspan(first, pcie::route_kinds),
                             [&](std::uint16_t way) { return way == z.index; });
}

/// No reaction to a notice makes anybody but `source` send a TLP on `z` before this, nor changes routes or links.
Femto Engine::unnoticed_until(const Transmitter& z, const Leaf& source, Femto now) const {
  if (notices_coming_ == 0) return unknown_time;
  const Femto arrival = now + shortest_arrival_;
  if (topology_.reconfigures) return arrival;
  return later(arrival, notices_coming_ > source.notices_coming ? z.lookahead : later(z.lookahead, side_latency_));
}

/// When the run at the head of `fifo` may start as far as its queue is concerned; `unknown_time` if it is blocked.
Femto Engine::eligible_at(const Queue& fifo, const TlpRun& run) {
  Femto eligible = std::max(run.e, fifo.left);
  if (run.mark > 0) {
    const Ingress& in = *fifo.ingress;
    if (run.mark > in.posted_out) return unknown_time;
    if (run.mark == in.posted_out) eligible = std::max(eligible, in.posted_left);
  }
  return eligible;
}

/// Whether what is not yet the head of its FIFO waits for posted TLPs of the ingress of `posted` that have not left by
/// `now`. It is to find them the last that have left, for of those before nobody knows when they did.
bool Engine::awaited(const NodeState& node, const Queue& posted, Femto now) {
  const Ingress& in = *posted.ingress;
  for (const std::size_t other : {1u, 2u}) {
    const auto& runs = node.queues[posted.slot + other].runs;
    for (std::size_t i = runs.size(); i-- > 1;)
      if (runs[i].mark > in.posted_out || (runs[i].mark == in.posted_out && in.posted_left > now)) return true;
  }
  return false;
}

/// The starts of a run whose first TLP starts at `start`, if they are equally spaced; else only the first.
Engine::Departure Engine::in_line(const TlpRun& run, Femto start, Femto serialisation) {
  if (run.count == 1 || (run.slope > serialisation && start > run.e)) return {start, 0, serialisation, 1};
  return {start, std::max(run.slope, serialisation), serialisation, run.count};
}

bool Engine::pass_through(Transmitter& x) {
  NodeState &node = *x.node, &router = *x.peer;
  Queue& fifo = node.queues[x.winner];
  if (router.leaf != nullptr || observer_ != nullptr || x.error_prone || x.gate != nullptr || held_ ||
      x.candidates != fifo.bit || x.unknown || x.stalling != 0 || (node.blocked | router.blocked | router.mixed) != 0)
    return false;
  if (fifo.takes_tags) return !rerouted_ && repeat_reads(x, fifo);
  const Record& foremost = records_[fifo.runs.front().record];
  const NodeId to = destination(fifo.tlp_class, foremost);
  Transmitter& z = next_hop(x, fifo.tlp_class, foremost);
  Queue& relay = router.queues[x.peer_port * 3 + fifo.tlp_class];
  if (rerouted_ && !only_way(x, z, to)) return false;
  if (!sole_source(z, node) || !z.up || z.error_prone || z.candidates != 0 || z.stalling != 0 || !relay.runs.empty())
    return false;
  if (relay.ingress->marked && fifo.tlp_class == static_cast<int>(pcie::TlpClass::posted) &&
      awaited(router, relay, x.decision))
    return false;
  const Femto known = loose_ ? x.decision : std::max(x.decision, played_);
  const Femto own_limit = std::min(horizon_, earliest_stimulus(*node.leaf, known));
  const Femto back = next_start(*x.reverse, known), back_there = next_start(*z.reverse, known);
  Corridor way{x,
               z,
               to,
               fifo,
               relay,
               x.decision,
               known,
               std::min(own_limit, next_dllp(x, back)),
               std::min({later(x.propagation + router.latency, own_limit), horizon_, next_dllp(z, back_there),
                         unnoticed_until(z, *node.leaf, known)}),
               back,
               back_there};
  if (topology_.reconfigures && notices_coming_ > 0) way.limit = std::min(way.limit, known + shortest_arrival_);
  const std::size_t waiting = fifo.runs.size();
  for (auto outcome = Outcome::passed; outcome == Outcome::passed && !fifo.runs.empty();) {
    outcome = pass_alike(way);
    if (outcome == Outcome::other && pass_run(way)) outcome = Outcome::passed;
  }
  const bool passed = fifo.runs.size() < waiting;
  if (passed) {
    x.touched = true;  // and decided here: if it is parked, the tree need not know when
    x.candidates &= ~fifo.bit;
    if (!fifo.runs.empty()) refresh_head(node, fifo);
    settle();
    x.touched = false;
    work_out(x);
  }
  const bool park = parking_ && way.may_wait(horizon_);
  if (park) parked_.push(&x);
  if (park || passed) decisions_.set(static_cast<std::size_t>(x.index), park ? horizon_ : x.decision);
  return park || passed;
}

/// Takes the first run of `fifo` over both links, or does nothing.
bool Engine::pass_run(const Corridor& way) {
  Transmitter &x = way.x, &z = way.z;
  Queue &fifo = way.fifo, &relay = way.relay;
  const Femto limit = std::min(way.limit, horizon_), second_limit = std::min(way.second_limit, horizon_);
  TlpRun& run = fifo.runs.front();
  const Record& record = records_[run.record];
  const int tlp_class = fifo.tlp_class;
  if (destination(tlp_class, record) != way.to) return false;
  const Femto eligible = eligible_at(fifo, run);
  Femto start = std::max(eligible, x.free);
  if (start >= limit) return false;
  x.ready_since = eligible;  // so that DLLPs sent in a gap before it are no stall
  if (x.due.front() <= start) {
    send_dllps(x, start);
    start = std::max(start, x.free);
    if (x.due.front() <= start) return false;
  }
  CreditLoop &credit = x.credit[fifo.tlp_class], &second_credit = z.credit[fifo.tlp_class];
  if (!credit.covers_all(run.count, run.units)) {
    credit.fold(start);
    if (!credit.covers_all(run.count, run.units)) return false;
  }
  const Departure first = in_line(run, start, x.serialisation[run.dw]);
  if (first.count != run.count || first.last() >= std::min(limit, x.due.front())) return false;

  // At the router, by the rules of its queues.
  Ingress& in = *relay.ingress;
  const Femto serialisation = z.serialisation[run.dw];
  const std::size_t sender = record.sender(tlp_class);
  TlpRun relayed;
  relayed.e = start + x.propagation + x.peer->latency + std::max<Femto>(0, first.serialisation - serialisation);
  relayed.slope = first.spacing;
  relayed.count = run.count;
  if (tlp_class != static_cast<int>(pcie::TlpClass::posted) &&
      !(record.asked.relaxed_ordering && tlp_class == static_cast<int>(pcie::TlpClass::completion)))
    relayed.mark = record.asked.id_based_ordering ? in.posted_by[sender] : in.posted_in;
  const Femto eligible_there = eligible_at(relay, relayed);
  if (eligible_there == unknown_time) return false;
  Femto start_there = std::max(eligible_there, z.free);
  if (start_there >= second_limit) return false;
  if (z.due.front() <= start_there) {
    send_dllps(z, start_there);
    start_there = std::max(start_there, z.free);
    if (z.due.front() <= start_there) return false;
  }
  if (!second_credit.covers_all(run.count, run.units)) {
    second_credit.fold(start_there);
    if (!second_credit.covers_all(run.count, run.units)) return false;
  }
  const Departure second = in_line(relayed, start_there, serialisation);
  if (second.count != run.count || second.last() >= std::min(second_limit, z.due.front())) return false;

  // From here on it is certain.
  x.queueing += start - eligible;
  z.queueing += start_there - eligible_there;
  count_tlps(x, record, run, first);
  count_tlps(z, record, run, second);
  x.pass_turn(fifo.slot, run.count);
  z.pass_turn(relay.slot, run.count);
  if (second_credit.limited()) second_credit.take(run.count, run.units);
  if (credit.limited()) {
    credit.take(run.count, run.units);
    credit.give(second.first + second.serialisation + x.update_fc, second.spacing, run.count, run.units);
  }
  fifo.left = x.free;
  relay.left = z.free;
  if (tlp_class == static_cast<int>(pcie::TlpClass::posted)) {
    Ingress& own = *fifo.ingress;
    own.posted_out += run.count;
    own.posted_left = x.free;
    in.posted_in += run.count;
    in.posted_by[sender] = in.posted_in;
    in.posted_out = in.posted_in;
    in.posted_left = z.free;
    in.marked = false;
  }
  cause_dllps(x, first.first + first.serialisation + x.propagation, first.spacing, run.count, way.now);
  const Femto arrival = second.first + second.serialisation + z.propagation;
  cause_dllps(z, arrival, second.spacing, run.count, way.now);
  receive(z, tlp_class, run, arrival, second.spacing, run.count);
  fifo.runs.pop();
  return true;
}

}  // namespace peerpath::fabric
