#include "fabric/reference/senders.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric::reference {

using pcie::TlpClass;

/// After all else of this instant. No start has an effect within its instant, so the order is of no account.
void Senders::arbitrate_all() {
  for (std::size_t i = 0; i < state_.to_arbitrate.size(); ++i) arbitrate(state_.to_arbitrate[i]);
  state_.to_arbitrate.clear();
}

void Senders::arbitrate(std::uint32_t index) {
  Transmitter& t = state_.transmitter(index);
  t.pending = false;
  // Whatever changes at a transmitter whose line is free leads to an arbitration, so those that lacked credits at the
  // last one lacked them until now.
  if (t.stalled) t.stalling += state_.now - t.stalled_since;
  t.stalled = false;
  if (t.up && t.dllps_due > 0) {
    --t.dllps_due;
    ++t.counters.dllps;
    t.counters.signalling += t.ser_dllp;
    t.free = state_.now + t.ser_dllp;
    return state_.schedule(t.free, EventKind::line_free, index);
  }
  bool stalled = false;
  const std::size_t first = state_.flaw == Flaw::channels ? 0 : t.vc_first;
  for (const std::size_t channel : {first, first ^ 1})
    if (t.wanting[channel] != 0 && start_one(index, channel, stalled)) return;
  t.stalled = stalled;
  t.stalled_since = state_.now;
}

/// Of the slots that can start on one virtual channel, starts the one whose turn it is; notes a want of credits if none
/// can.
[[gnu::always_inline]] inline bool Senders::start_one(std::uint32_t index, std::size_t channel, bool& stalled) {
  Transmitter& t = state_.transmitter(index);
  Station& s = state_.station(t.from);
  const std::size_t lanes = state_.first_place(t, channel);
  std::size_t next = t.slots;
  for (std::uint64_t slots = t.wanting[channel]; slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
    const Tlp& head = *s.fifos[lanes + slot].tlps.front();
    if (!t.up || !state_.has_tag(t, slot)) continue;
    if (!t.has_credits(pool_of(channel, head.tlp_class), head.piece.units))
      stalled = true;
    else if (next == t.slots || goes_before(t.channels[channel], slot, next))
      next = slot;
  }
  if (next == t.slots) return false;
  start(index, pool_of(channel, s.fifos[lanes + next].tlps.front()->tlp_class), next);
  return true;
}

/// Whose turn it is of two slots that can start, the first of them behind the other in slot order.
bool Senders::goes_before(const Transmitter::Channel& turns, std::size_t slot, std::size_t other) const {
  if (state_.flaw == Flaw::round_robin) return other < turns.round_robin && slot >= turns.round_robin;
  if (turns.taken > 0 && (slot == turns.holder || other == turns.holder)) return slot == turns.holder;
  return turns.last_start[slot] < turns.last_start[other];
}

/// `slot` has started: it keeps its turn while it has turns left, and so does its virtual channel.
void Senders::pass_turn(Transmitter& t, std::size_t slot, std::size_t channel) {
  Transmitter::Channel& by = t.channels[channel];
  by.last_start[slot] = ++by.starts;
  by.round_robin = slot + 1;
  if (!t.turns.empty()) {
    by.taken = (slot == by.holder ? by.taken : 0) + 1;
    by.holder = slot;
    if (by.taken >= t.turns[slot / pcie::tlp_classes] || state_.flaw == Flaw::weights) by.taken = 0;
  }
  if (by.turns == 0) return;  // strict priority
  t.vc_taken = (channel == t.vc_holder ? t.vc_taken : 0) + 1;
  t.vc_holder = channel;
  t.vc_first = static_cast<std::uint8_t>(channel);
  if (t.vc_taken < by.turns) return;
  t.vc_taken = 0;
  t.vc_first = static_cast<std::uint8_t>(1 - channel);
}

void Senders::start(std::uint32_t index, std::uint8_t pool, std::size_t slot) {
  Transmitter& t = state_.transmitter(index);
  Station& s = state_.station(t.from);
  const std::size_t vc = pool / pcie::tlp_classes;
  const std::size_t place = state_.first_place(t, vc) + slot;
  Fifo& fifo = s.fifos[place];
  Tlp* tlp = fifo.tlps.front();
  t.header[pool] -= 1;
  t.data[pool] -= tlp->piece.units;
  if (s.node->is_endpoint && tlp->tlp_class == TlpClass::non_posted) {
    --s.tags;
    if (tlp->job->transaction.answer == pcie::Status::no_answer &&
        !state_.station(tlp->destination).node->endpoint.external) {
      tlp->job->missing += tlp->piece.bytes;
      endpoints_.start_timer(t.from, tlp->request);
    }
  }
  pass_turn(t, slot, vc);
  t.wanting[vc] &= ~(std::uint64_t{1} << slot);
  fifo.head = Fifo::Head::started;
  const Duration ser = t.ser[static_cast<std::size_t>(tlp->piece.dw)];
  const std::int64_t failed = t.errors.send(4 * tlp->piece.dw + t.direction->framing.count());
  const Duration recovery = state_.flaw == Flaw::replay ? Duration{0} : t.direction->replay_delay;
  const Instant begin = state_.now + failed * (ser + recovery);
  t.counters.replays += failed;
  t.counters.replaying += begin - state_.now;
  t.free = begin + ser + (state_.flaw == Flaw::idles ? ser / 4 : Duration{0});
  t.sending = {place, tlp->tlp_class, tlp->came_by, tlp->pool, static_cast<std::uint16_t>(tlp->piece.units)};
  if (s.node->is_endpoint && tlp->tlp_class == TlpClass::posted && --tlp->job->unsent == 0 &&
      tlp->job->transaction.tell_sent) {
    t.sending.told = tlp->job;
    ++tlp->job->users;
  }
  t.counters.queueing += state_.now - fifo.eligible_since;
  t.counters.credit_stall += std::exchange(t.stalling, Duration{0});
  account(t, *tlp, begin, ser);
  state_.schedule(t.free, EventKind::left, index);
  const bool answer = s.node->is_endpoint && s.node->endpoint.one_queue > 0 && tlp->tlp_class == TlpClass::completion;
  forward(t, index, pool, tlp, begin);
  if (!answer) return;
  s.answers_left.push_back(t.free);
  endpoints_.pass_held(s, t.from);
}

void Senders::account(Transmitter& t, const Tlp& tlp, Instant begin, Duration ser) {
  const Job& job = *tlp.job;
  t.counters.busy += ser;
  Tally& tally = t.tallies[job.requester.value() * pcie::purposes + static_cast<std::size_t>(job.transaction.purpose)];
  const Bytes payload{4 * tlp.piece.data_dw};
  ++tally.tlps;
  tally.payload += payload;
  if (tlp.piece.data_dw > 0) t.accounts[job.transaction.account] += tlp.piece.bytes;
  tally.overhead += Bytes{4 * tlp.piece.dw} + t.direction->framing - payload;
  if (state_.observer == nullptr) return;
  state_.observer->observe({t.link, t.number, tlp.tlp_class, job.transaction.op, job.transaction.purpose, job.requester,
                            job.transaction.target, job.transaction.cookie, tlp.piece.address, payload, begin,
                            begin + ser, t.channel(job)});
}

/// Sends a TLP on its way to the next node; `begin` is the start of the transmission that succeeds.
void Senders::forward(Transmitter& t, std::uint32_t index, std::uint8_t pool, Tlp* tlp, Instant begin) {
  const LinkDirection& in = *t.direction;
  Station& next = state_.station(t.to);
  const Instant arrival = t.free + in.propagation;
  cause_dllps(t, arrival);
  tlp->came_by = index;
  tlp->pool = pool;
  if (next.node->is_endpoint) return endpoints_.arrive(next, t.to, tlp, through_gate(in, *tlp, arrival));
  tlp->egress = next.routes[(t.to_ingress * state_.stations.size() + tlp->destination.value()) * pcie::route_kinds +
                            static_cast<std::size_t>(tlp->kind)];
  const auto dw = static_cast<std::size_t>(tlp->piece.dw);
  const Duration wait = std::max(Duration{0}, t.ser[dw] - state_.transmitter(tlp->egress).ser[dw]);
  tlp->earliest = through_gate(in, *tlp, begin + in.propagation + wait + next.node->router.latency);
  queues_.enter(t.to, pool < pcie::tlp_classes ? t.to_ingress : t.vc_ingress, tlp);
}

/// From when a TLP that comes to the receiver of a direction at `at` goes on there.
Instant Senders::through_gate(const LinkDirection& direction, const Tlp& tlp, Instant at) {
  if (direction.gate == nullptr) return at;
  const Job& job = *tlp.job;
  const Transaction& t = job.transaction;
  const bool refused = tlp.tlp_class == TlpClass::posted && t.answer != pcie::Status::success;
  return direction.gate->pass({tlp.tlp_class, t.op, t.purpose, t.translated, t.relaxed_ordering, refused, job.requester,
                               t.target, tlp.piece.address, tlp.piece.bytes, at});
}

void Senders::return_credits(std::uint32_t index, std::uint8_t pool, int units) {
  Transmitter& t = state_.transmitter(index);
  t.header[pool] += 1;
  t.data[pool] += units;
  state_.poke(index);
}

void Senders::cause_dllps(Transmitter& t, Instant arrival) {
  const auto cause = [&](Duration interval, Instant& next) {
    if (interval == Duration{0} || arrival < next) return;
    next = arrival + interval;
    state_.schedule(arrival, EventKind::dllp_due, t.opposite);
  };
  cause(t.direction->ack_interval, t.next_ack);
  cause(t.direction->fc_interval, t.next_fc);
}

}  // namespace peerpath::fabric::reference
