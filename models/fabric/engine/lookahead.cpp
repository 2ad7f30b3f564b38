#include "fabric/engine/lookahead.hpp"

namespace peerpath::fabric::engine {

namespace {

/// The first start on `x` that may come of the TLPs at its node. One behind another, or behind posted ones, starts
/// later than the first of those, which are candidates of the same transmitter.
Femto earliest_here(const Transmitter& x, Femto now) { return x.unknown ? now : x.decision; }

}  // namespace

/// No start that is not known at `now` brings anything to the endpoint before this, but for those on its own link
/// before `quiet`.
Femto Lookahead::earliest_arrival(const EndpointState& endpoint, Femto now, Femto quiet) const {
  // A stray or a TLP that leaves a receive queue arrives without a start on the link; what was put off starts before
  // `now`.
  if (s_.may_stray || s_.one_queue || s_.decisions.earliest_time() < now) return now + s_.shortest_arrival;
  const Transmitter& last = *endpoint.out->reverse;
  Femto start = now;
  if (last.node->endpoint == nullptr)
    start = std::min({earliest_here(last, now), later(now, last.lookahead), unknown_time / 2});
  start = std::max(start, quiet);
  return start + last.shortest + last.propagation;
}

/// The first time at which something that is not known at `now` could make the endpoint submit.
[[gnu::noinline]] Femto Lookahead::earliest_of_stimuli(const EndpointState& endpoint, Femto now, Femto quiet) const {
  Femto when = unknown_time;
  const Femto anywhere = now + s_.shortest_arrival;
  if (endpoint.requests_coming > 0 || s_.may_stray)
    when = later(earliest_arrival(endpoint, now, quiet), femtoseconds(endpoint.config.read_latency));
  if (endpoint.notices_coming > endpoint.sends_coming) {
    // The end of a posted transaction is noticed when that arrives elsewhere; of a request that nobody answers when it
    // times out.
    const Femto notice = endpoint.echoes_coming > 0
                             ? anywhere
                             : std::min(earliest_arrival(endpoint, now, quiet),
                                        later(now, femtoseconds(endpoint.config.completion_timeout)));
    when = std::min(when, later(notice, femtoseconds(endpoint.config.reaction)));
  }
  if (s_.notices_coming > endpoint.notices_coming) when = std::min(when, later(anywhere, endpoint.hearsay));
  return when;
}

/// The first time at which the endpoint could submit a transaction because a posted one has left it. The TLPs at the
/// head of `sending` start until `last`, if it is known: others in that FIFO leave later.
[[gnu::noinline]] Femto Lookahead::earliest_after_send(const EndpointState& endpoint, Femto now, const Fifo* sending,
                                                       Femto last) const {
  const Transmitter& out = *endpoint.out;
  const bool behind = sending != nullptr && sending->sends_coming == endpoint.sends_coming;
  const Femto start = behind ? last : std::max(now, std::min(earliest_here(out, now), unknown_time / 2));
  return later(start + out.shortest, femtoseconds(endpoint.config.reaction));
}

/// Nobody submits anything because of a notice that is still to come before this.
Femto Lookahead::earliest_reaction(Femto now) const {
  Femto soonest = s_.side_latency;
  for (const EndpointState& each : s_.endpoints)
    if (each.notices_coming > 0) soonest = std::min(soonest, femtoseconds(each.config.reaction));
  return later(now + s_.shortest_arrival, soonest);
}

/// The same as `next_start` where something under way may come to `x`, too.
[[gnu::noinline]] Femto Lookahead::next_start_of_all(const Transmitter& x, Femto now, Femto quiet) const {
  const NodeState& node = *x.node;
  return std::min(earliest_here(x, now),
                  node.endpoint != nullptr ? earliest_stimulus(*node.endpoint, now, quiet) : later(now, x.lookahead));
}

/// The same as `next_start`, but from the queues of a router one hop further back if that says less than `wanted`.
Femto Lookahead::next_start_before(const Transmitter& x, Femto now, Femto quiet, Femto wanted) const {
  const Femto next = next_start(x, now, quiet), here = earliest_here(x, now);
  if (next >= std::min(wanted, here) || x.node->endpoint != nullptr || s_.may_stray) return next;
  return std::min(here, next_arrival(x, nullptr, now));
}

/// No DLLP that is not known becomes due on `x` before this. What comes after `wanted` does not matter.
Femto Lookahead::next_dllp(const Transmitter& x, Femto now, Femto quiet, Femto wanted) const {
  const Transmitter& back = *x.reverse;
  const Femto caused = std::min(back.next_ack, back.next_fc), flight = back.shortest + back.propagation;
  if (caused >= wanted) return caused;
  return std::max(caused, later(flight, next_start_before(back, now, quiet, wanted - flight)));
}

/// Nothing that has not arrived at the router of `x` by `now` can start on `x` before this, but for TLPs that queue up
/// behind those of `fifo`.
Femto Lookahead::next_arrival(const Transmitter& x, const Fifo* fifo, Femto now) const {
  const NodeState& node = *x.node;
  const std::uint64_t same_class = fifo == nullptr ? 0 : posted_slots << fifo->tlp_class;
  Femto limit = unknown_time;
  for (int i = 0; i < node.ingresses; ++i) {
    const Transmitter& from = *node.lanes[static_cast<std::size_t>(i)].from;
    if (&from == x.reverse && !s_.rerouted) continue;
    // Where `x` has two virtual channels, what comes behind may go by the other one.
    const bool queues_up = fifo != nullptr && fifo->slot / 3 == i && from.node->endpoint != nullptr &&
                           from.blocked == 0 && x.vc1_classes == 0 &&
                           ((from.candidates[0] | from.candidates[1]) & ~same_class) == 0;
    const Femto next = queues_up ? earliest_stimulus(*from.node->endpoint, now, now) : next_start(from, now, now);
    limit = std::min(limit, later(from.propagation + node.latency, next));
  }
  return limit;
}

Femto Lookahead::foreseen_until(const Transmitter& x, const Fifo& fifo, Femto now, Femto last, Femto wanted) const {
  if (x.unknown) return now + 1;
  const NodeState& node = *x.node;
  Femto limit = std::min(s_.horizon, wanted);
  if (node.endpoint != nullptr)
    limit = std::min(limit, earliest_stimulus(*node.endpoint, now, now, &fifo, last));
  else if (later(now, x.lookahead) < limit)
    limit = std::min(limit, next_arrival(x, &fifo, now));
  if (s_.topology.reconfigures && s_.notices_coming > 0) limit = std::min(limit, now + s_.shortest_arrival);
  if (limit > now + 1) {
    // Until its last TLP a run of posted requests or completions ends no transaction.
    const bool request = fifo.tlp_class == static_cast<int>(pcie::TlpClass::non_posted);
    limit = std::min(limit, next_dllp(x, now, request ? now : std::min(limit, last), limit));
  }
  return std::max(limit, now + 1);  // what was put off may seem to bound it by a time before `now`
}

}  // namespace peerpath::fabric::engine
