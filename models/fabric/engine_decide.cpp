// Who starts next on a transmitter, and until when nothing can interfere with it.

#include <algorithm>
#include <array>
#include <bit>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

/// A TLP that could start at `start` lets the DLLPs go first that are due by then.
Femto Engine::after_dllps(const Transmitter& x, Femto start) {
  if (x.due.front() > start) return start;
  if (x.due.second_front() > start && x.free <= x.due.front() && x.due.front_sent() <= start) return start;
  Femto free = x.free;
  x.due.each([&](Femto due) {
    if (due > start) return false;
    free = std::max(free, due) + x.dllp;
    start = std::max(start, free);
    return true;
  });
  return start;
}

/// When something starts on `x`, and what.
void Engine::work_out(Transmitter& x) {
  x.rival = x.ready_since = unknown_time;
  x.unknown = false;
  Femto start = unknown_time;
  if (x.candidates != 0 && x.up) {
    const Queue& only = x.node->queues[std::countr_zero(x.candidates)];
    if (x.candidates == only.bit && (!only.takes_tags || x.node->leaf->tags > 0) &&
        x.credit[only.pool].covers(only.runs.front().units)) {
      x.winner = only.slot;
      x.ready_since = only.head;
      start = after_dllps(x, std::max(only.head, x.free));
    } else {
      start = decide_among(x);
    }
  }
  x.decision = start;
}

void Engine::decide(Transmitter& x) {
  work_out(x);
  decisions_.set(static_cast<std::size_t>(x.index), x.decision);
}

/// The general case: several candidates, or one that waits for credits or tags.
Femto Engine::decide_among(Transmitter& x) {
  const NodeState& node = *x.node;
  std::array<Femto, 64> when;
  Femto first = unknown_time;
  std::uint64_t by_vc1 = 0;
  for (std::uint64_t left = x.candidates; left != 0; left &= left - 1) {
    const int slot = std::countr_zero(left);
    const Queue& fifo = node.queues[slot];
    if (fifo.pool >= pcie::tlp_classes) by_vc1 |= fifo.bit;
    Femto ready = fifo.head;
    if (fifo.takes_tags && node.leaf->tags == 0) {
      ready = std::max(ready, node.leaf->tag_at());
      x.unknown = x.unknown || node.leaf->timeouts || may_stray_;  // a timeout may come before it
    }
    x.ready_since = std::min(x.ready_since, ready);
    const CreditLoop& credit = x.credit[fifo.pool];
    const int units = fifo.runs.front().units;
    if (!credit.covers(units)) ready = std::max(ready, credit.covered_at(units));
    when[static_cast<std::size_t>(slot)] = ready;
    first = std::min(first, ready);
    x.unknown = x.unknown || ready == unknown_time;
  }
  if (first == unknown_time) return unknown_time;
  const Femto start = after_dllps(x, std::max(first, x.free));
  // Of those that are eligible at `start` (and go by the channel whose turn it is), the first at or after next_slot,
  // cyclically.
  std::uint64_t eligible = 0;
  for (std::uint64_t left = x.candidates; left != 0; left &= left - 1) {
    const int slot = std::countr_zero(left);
    eligible |= static_cast<std::uint64_t>(when[static_cast<std::size_t>(slot)] <= start) << slot;
  }
  std::uint64_t among = eligible;
  int next = x.next_slot;
  if (x.vc1_classes != 0) {
    const std::uint64_t on_vc1 = eligible & by_vc1;
    const bool vc1 = x.vc1.first == 1 ? on_vc1 != 0 : on_vc1 == eligible;
    among = vc1 ? on_vc1 : eligible & ~on_vc1;
    if (vc1) next = x.vc1.next_slot;
  }
  const std::uint64_t from_next = among >> next << next;
  x.winner = std::countr_zero(from_next != 0 ? from_next : among);
  const std::uint64_t others = ~(std::uint64_t{1} << x.winner);
  if ((eligible & others) != 0) {
    x.rival = start;
  } else {
    for (std::uint64_t left = x.candidates & others; left != 0; left &= left - 1)
      x.rival = std::min(x.rival, when[static_cast<std::size_t>(std::countr_zero(left))]);
  }
  return start;
}

/// When TLPs that wait at the node of `x` behind others, or for posted ones, may at the earliest start on `x`. Those
/// behind one that may start on `x` itself come later than what is decided.
[[gnu::noinline]] Femto Engine::earliest_behind(const Transmitter& x, std::uint64_t slots) {
  Femto earliest = unknown_time;
  for (slots &= ~x.candidates; slots != 0; slots &= slots - 1) {
    const auto& runs = x.node->queues[std::countr_zero(slots)].runs;
    Femto start = 0;
    for (std::size_t i = 0; i < runs.size() && start < earliest; ++i) {
      start = std::max(start, runs[i].e);
      if (runs[i].out == x.index) earliest = std::min(earliest, start);
    }
  }
  return earliest;
}

/// The first start on `x` that may come of what is at its node.
Femto Engine::earliest_here(const Transmitter& x, Femto now) {
  const std::uint64_t waiting = x.node->blocked | x.node->mixed;
  if (x.unknown) return now;
  if (waiting == 0) [[likely]]
    return x.decision;
  return std::min(x.decision, std::max(now, earliest_behind(x, waiting)));
}

/// No start that is not known at `now` brings anything to the endpoint before this.
Femto Engine::earliest_arrival(const Leaf& leaf, Femto now) const {
  // What strays or leaves a receive queue arrives without a start on the link, and what was parked starts before `now`.
  if (may_stray_ || to_itself_ || held_ || decisions_.earliest_time() < now) return now + shortest_arrival_;
  const Transmitter& last = *leaf.out->reverse;
  Femto start = now;
  if (last.node->leaf == nullptr)
    start = std::min({earliest_here(last, now), later(now, last.lookahead), unknown_time / 2});
  return start + last.shortest + last.propagation;
}

/// The first time at which something that is not known at `now` could make the endpoint submit.
[[gnu::noinline]] Femto Engine::earliest_of_stimuli(const Leaf& leaf, Femto now) const {
  Femto when = unknown_time;
  const Femto anywhere = now + shortest_arrival_;
  if (leaf.requests_coming > 0 || may_stray_)
    when = later(earliest_arrival(leaf, now), femtoseconds(leaf.config.read_latency));
  if (leaf.notices_coming > 0) {
    // Of what it has posted it hears when that arrives elsewhere; of requests that nobody answers when they time out.
    const Femto notice = leaf.echoes_coming > 0 ? anywhere
                                                : std::min(earliest_arrival(leaf, now),
                                                           later(now, femtoseconds(leaf.config.completion_timeout)));
    when = std::min(when, later(notice, femtoseconds(leaf.config.reaction)));
  }
  if (notices_coming_ > leaf.notices_coming) when = std::min(when, later(anywhere, side_latency_));
  return when;
}

/// Nobody submits anything because of a notice that is still to come before this.
Femto Engine::earliest_reaction(Femto now) const {
  if (notices_coming_ == 0) return unknown_time;
  Femto soonest = side_latency_;
  for (const Leaf& leaf : leaves_)
    if (leaf.notices_coming > 0) soonest = std::min(soonest, femtoseconds(leaf.config.reaction));
  return later(now + shortest_arrival_, soonest);
}

/// The same where something under way may come to `x`, too.
[[gnu::noinline]] Femto Engine::next_start_of_all(const Transmitter& x, Femto now) const {
  const NodeState& node = *x.node;
  return std::min(earliest_here(x, now),
                  node.leaf != nullptr ? earliest_stimulus(*node.leaf, now) : later(now, x.lookahead));
}

/// No DLLP that is not known becomes due on `x` before this, if no start on the way back that is not known comes before
/// `start`.
Femto Engine::next_dllp(const Transmitter& x, Femto start) const {
  const Transmitter& back = *x.reverse;
  return std::max(std::min(back.next_ack, back.next_fc), later(back.shortest + back.propagation, start));
}

/// Nothing that has not arrived at the router of `x` by `now` can start on `x` before this, but for what queues up in
/// one of `slots` (at most one of an ingress).
Femto Engine::next_arrival(const Transmitter& x, std::uint64_t slots, Femto now) {
  const NodeState& node = *x.node;
  Femto limit = unknown_time;
  for (int i = 0; i < node.ingresses; ++i) {
    const Ingress& in = *node.queues[i * 3].ingress;
    const Transmitter& from = *in.from;
    if (&from == x.reverse && !rerouted_) continue;
    const std::uint64_t own = slots >> (3 * i) & 7;
    const std::uint64_t same_class = posted_slots << (own == 0 ? 0 : std::countr_zero(own));
    const bool queues_up =
        own != 0 && from.node->leaf != nullptr && from.node->blocked == 0 && (from.candidates & ~same_class) == 0;
    const Femto next = queues_up ? earliest_stimulus(*from.node->leaf, now) : next_start(from, now);
    limit = std::min(limit, later(from.propagation + node.latency, next));
  }
  return limit;
}

/// The winner of `x` may start up to (not including) this time without regard to anybody else. What comes after
/// `wanted` does not matter.
Femto Engine::undisturbed_until(const Transmitter& x, const Queue& fifo, Femto now, Femto wanted) {
  const NodeState& node = *x.node;
  // What waits behind posted TLPs of this ingress waits for all of a posted run; any other run it may overtake.
  const bool posted = fifo.tlp_class == static_cast<int>(pcie::TlpClass::posted);
  const std::uint64_t behind = posted ? std::uint64_t{7} << fifo.slot : fifo.bit;
  if (x.unknown) return now + 1;
  Femto limit = std::min(horizon_, x.rival);
  const std::uint64_t others = (node.blocked & ~behind) | (node.mixed & ~fifo.bit);
  if (others != 0) limit = std::min(limit, earliest_behind(x, others));
  if (node.leaf != nullptr)
    limit = std::min(limit, earliest_stimulus(*node.leaf, now));
  else if (later(now, x.lookahead) < std::min(limit, wanted))
    limit = std::min(limit, next_arrival(x, fifo.bit, now));
  if (topology_.reconfigures && notices_coming_ > 0) limit = std::min(limit, now + shortest_arrival_);
  limit = std::min({limit, x.due.front(), next_dllp(x, next_start(*x.reverse, now))});
  return std::max(limit, now + 1);  // what is parked may seem to bound it by a time before `now`
}

}  // namespace peerpath::fabric
