// Posted packets that cross an idle corridor one after the other: each is timed as a shift of what the first would take
// alone, and what they all change is booked once. A packet that the limit of `advance` would cut in two is put off
// until the next one, if nobody can tell the difference.

#include <algorithm>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

Crossing Engine::crossing(const Transmitter& x, const Transmitter& z, const TlpRun& run) {
  Crossing c;
  const Femto more = run.count - 1;
  const Femto service = z.peer->leaf->occupancy_of(static_cast<int>(pcie::TlpClass::posted), run.data_dw);
  c.second = &z;
  c.dw = run.dw;
  c.data_dw = run.data_dw;
  c.count = run.count;
  c.serialisation = x.serialisation[run.dw];
  c.spacing = more == 0 ? 0 : c.serialisation;
  c.last = more * c.spacing;
  c.arrival = c.serialisation + x.propagation;
  c.serialisation_there = z.serialisation[run.dw];
  c.there = x.propagation + x.peer->latency + std::max<Femto>(0, c.serialisation - c.serialisation_there);
  c.spacing_there = more == 0 ? 0 : std::max(c.spacing, c.serialisation_there);
  c.last_there = c.there + more * c.spacing_there;
  c.arrival_there = c.there + c.serialisation_there + z.propagation;
  c.first_done = c.arrival_there + service;
  c.step = more == 0 ? 0 : std::max(c.spacing_there, service);
  c.done = c.first_done + more * c.step;
  return c;
}

/// The DLLPs that equal runs from `x` cause on the way back. While nobody else is there before `until`, only those of
/// the last run need be queued.
struct Engine::Echo {
  Engine& engine;
  Transmitter& x;
  Femto spacing;
  std::int32_t count;
  Femto until;
  Femto span = (count - 1) * spacing;
  bool held = false;  ///< the last run's are not counted yet
  Femto first = 0, next_ack = 0, next_fc = 0, front = 0, sent = 0;
  std::int64_t size = 0;

  Echo(Engine& of, Transmitter& from, Femto apart, std::int32_t arrivals, Femto known)
      : engine{of}, x{from}, spacing{apart}, count{arrivals} {
    const Transmitter& back = *x.reverse;
    until = back.candidates != 0 || !back.up || std::min(x.next_ack, x.next_fc) == unknown_time
                ? 0
                : std::min({engine.horizon_, engine.next_start(back, known), engine.earliest_reaction(known)});
    retire_dllps(*x.reverse, until);
  }

  /// A run arrives.
  void hear(Femto arrival) {
    if (std::min(x.next_ack, x.next_fc) > arrival + span) return;
    release();
    const Femto ack_lag = std::clamp<Femto>(x.next_ack - arrival, 0, span + 1);
    const Femto fc_lag = std::clamp<Femto>(x.next_fc - arrival, 0, span + 1);
    std::uint8_t which = x.patterns[x.pattern].follower;
    if (!x.patterns[which].fits(ack_lag, fc_lag, spacing, count)) which = look_up(arrival, ack_lag, fc_lag);
    const DllpPattern& pattern = x.patterns[which];
    x.pattern = which;
    held = true;
    first = arrival;
    next_ack = x.next_ack;
    next_fc = x.next_fc;
    front = arrival + pattern.front;
    sent = later(arrival, pattern.sent);
    size = pattern.size;
    if (pattern.acks) x.next_ack = arrival + pattern.next_ack;
    if (pattern.updates) x.next_fc = arrival + pattern.next_fc;
  }

  /// Counts or queues what is held.
  void release() {
    if (!held) return;
    held = false;
    Transmitter& back = *x.reverse;
    if (sent <= until && back.due.empty() && back.free <= front) {
      back.free = sent;
      back.dllps += size;
      return;
    }
    back.due.push(caused(x, next_ack, next_fc, first, spacing, count));
    if (back.candidates != 0 && front <= back.decision) engine.touch(back);
  }

 private:
  std::uint8_t look_up(Femto arrival, Femto ack_lag, Femto fc_lag) {
    std::uint8_t which = 0;
    while (which < x.patterns.size() && !x.patterns[which].fits(ack_lag, fc_lag, spacing, count)) ++which;
    if (which == x.patterns.size()) {
      which = x.oldest_pattern;
      x.oldest_pattern = static_cast<std::uint8_t>((which + 1u) % x.patterns.size());
      Femto ack = x.next_ack, fc = x.next_fc;
      const DllpBatch batch = caused(x, ack, fc, arrival, spacing, count);
      x.patterns[which] = {ack_lag,
                           fc_lag,
                           spacing,
                           count,
                           0,
                           batch.acks.count > 0,
                           batch.updates.count > 0,
                           ack - arrival,
                           fc - arrival,
                           batch.front() - arrival,
                           batch.sent == unknown_time ? unknown_time : batch.sent - arrival,
                           batch.size()};
    }
    x.patterns[x.pattern].follower = which;
    return which;
  }
};

/// Takes the first runs of `fifo` over both links as long as each finds its way empty and is like the first.
bool Engine::pass_alike(Transmitter& x, Transmitter& z, NodeId to, Queue& fifo, Queue& relay, Femto known, Femto limit,
                        Femto second_limit) {
  if (fifo.tlp_class != static_cast<int>(pcie::TlpClass::posted)) return false;
  const TlpRun shape = fifo.runs.front();
  if (!x.crossing.fits(z, shape)) {
    if (shape.slope != 0) return false;
    x.crossing = crossing(x, z, shape);
  }
  const Crossing& c = x.crossing;
  const Femto bound =
      std::min(std::min(limit, x.due.front()) - c.last, std::min(second_limit, z.due.front()) - c.last_there);
  if (std::max(shape.e, x.free) >= std::min(bound, horizon_ - c.last_there)) return false;

  CreditLoop &credit = x.credit[fifo.tlp_class], &second_credit = z.credit[fifo.tlp_class];
  Leaf& leaf = *z.peer->leaf;
  const Record& record = records_[shape.record];
  const std::size_t tally = record.tally, sender = record.sender(fifo.tlp_class);
  Echo echo{*this, x, c.spacing, c.count, known}, second_echo{*this, z, c.spacing_there, c.count, known};
  Femto free = x.free, left = fifo.left, free_there = std::max(z.free, relay.left),
        taken_in = leaf.taken_in[fifo.tlp_class];
  std::int64_t runs = 0;
  while (!fifo.runs.empty()) {
    const TlpRun& run = fifo.runs.front();
    Record& packet = records_[run.record];
    if (!c.alike(run) || packet.tally != tally || packet.delivery.target != to) break;
    const Femto eligible = std::max(run.e, left), start = std::max(eligible, free);
    if (start >= bound || start + c.last_there >= horizon_ || start + c.there < free_there ||
        start + c.arrival_there < taken_in)
      break;
    if (!credit.covers_all(run.count, run.units)) {
      credit.fold(start);
      if (!credit.covers_all(run.count, run.units)) break;
    }
    if (!second_credit.covers_all(run.count, run.units)) {
      second_credit.fold(start + c.there);
      if (!second_credit.covers_all(run.count, run.units)) break;
    }
    x.queueing += start - eligible;
    if (second_credit.limited()) {
      second_credit.take(run.count, run.units);
      second_credit.give(start + c.first_done + z.update_fc, c.step, run.count, run.units);
    }
    if (credit.limited()) {
      credit.take(run.count, run.units);
      credit.give(start + c.there + c.serialisation_there + x.update_fc, c.spacing_there, run.count, run.units);
    }
    left = free = start + c.last + c.serialisation;
    free_there = start + c.last_there + c.serialisation_there;
    taken_in = start + c.done;
    echo.hear(start + c.arrival);
    second_echo.hear(start + c.arrival_there);
    ++runs;
    packet.open -= run.count;
    const std::uint32_t index = run.record;
    fifo.runs.pop();
    if (packet.open == 0) finish_posted(index, leaf, taken_in);
  }
  if (runs == 0) return false;
  echo.release();
  second_echo.release();
  leaf.taken_in[fifo.tlp_class] = taken_in;
  const std::int64_t tlps = runs * c.count;
  const auto count_on = [&](Transmitter& on, Femto serialisation, Femto free_from) {
    Tally& counted = on.tallies[tally];
    counted.tlps += tlps;
    counted.payload += Bytes{4 * c.data_dw * tlps};
    counted.overhead += Bytes{(4 * (c.dw - c.data_dw) + on.framing) * tlps};
    on.busy += serialisation * tlps;
    on.free = free_from;
  };
  count_on(x, c.serialisation, free);
  count_on(z, c.serialisation_there, free_there);
  x.next_slot = fifo.slot + 1 == x.slots ? 0 : fifo.slot + 1;
  z.next_slot = relay.slot + 1 == z.slots ? 0 : relay.slot + 1;
  fifo.left = free;
  relay.left = free_there;
  Ingress &own = *fifo.ingress, &in = *relay.ingress;
  own.posted_out += tlps;
  own.posted_left = free;
  in.posted_in += tlps;
  in.posted_by[sender] = in.posted_out = in.posted_in;
  in.posted_left = free_there;
  in.marked = false;
  return true;
}

/// Whether what starts next on `x` may wait for the next `advance`: its last TLP cannot start on `z` before the
/// horizon, so nothing comes of it before; what follows it cannot reach the router's other links before; and nobody is
/// on the way back, whom its DLLPs could meet.
bool Engine::may_park(const Transmitter& x, const Transmitter& z, const Queue& fifo, Femto known) {
  if (!parking_ || x.decision >= horizon_ || fifo.tlp_class != static_cast<int>(pcie::TlpClass::posted)) return false;
  const TlpRun& run = fifo.runs.front();
  return x.crossing.fits(z, run) && x.decision + x.crossing.last_there >= horizon_ &&
         x.decision + x.crossing.last + x.crossing.serialisation + x.propagation + x.peer->latency >= horizon_ &&
         next_start(*x.reverse, known) >= horizon_ && next_start(*z.reverse, known) >= horizon_;
}

void Engine::park(Transmitter& x) {
  parked_.push_back(&x);
  decisions_.set(static_cast<std::size_t>(x.index), horizon_);
}

}  // namespace peerpath::fabric
