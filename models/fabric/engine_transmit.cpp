// Starts of TLPs and what follows from them: credits, ordering, link-layer traffic, the queue at the other end.

#include <algorithm>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

void Engine::carry_out(Transmitter& x) {
  NodeState& node = *x.node;
  Queue& fifo = node.queues[x.winner];
  const TlpRun& run = fifo.runs.front();
  CreditLoop& credit = x.credit[fifo.pool];
  Departure departure = plan(x, fifo, run, credit);
  const Femto now = departure.first;
  if (x.error_prone) replay(x, run, departure);
  const std::int32_t count = departure.count;
  const Record& record = records_[run.record];
  touch(x);
  if (observer_ != nullptr) record_tlps(x, fifo.tlp_class, run, departure);
  count_tlps(x, record, run, departure);
  if (x.vc1_classes == 0)
    x.pass_turn(fifo.slot, count);
  else
    x.pass_turn_of(fifo.pool / 3, fifo.slot, count);
  if (credit.limited()) credit.take(count, run.units);
  if (fifo.takes_tags) take_tags(*node.leaf, run, departure);
  if (fifo.flow != nobody) records_[run.record].serial = ++serial_;

  const Femto arrival = departure.first + departure.serialisation + x.propagation;
  cause_dllps(x, arrival, departure.spacing, count, now);
  if (x.peer->leaf != nullptr) {
    receive(x, fifo.tlp_class, run, arrival, departure.spacing, count);
  } else {
    TlpRun sent = run;
    if (count < run.count && run.per > 0) {
      TlpRun last = run;
      go_ahead(last, count - 1);
      sent.tail = last.answered;
    }
    sent.count = count;
    send_on(x, fifo, next_queue(x, fifo.pool), sent, departure);
  }
  leave_queue(x, fifo, departure);
  if (held_ && node.leaf != nullptr) note_left(fifo, *node.leaf, departure);
}

/// What departs to a router enters its queue there.
void Engine::send_on(Transmitter& x, const Queue& fifo, Queue& entered, TlpRun& sent, const Departure& departure) {
  NodeState& next = *x.peer;
  const Transmitter& z = next_hop(x, fifo.tlp_class, records_[sent.record]);
  sent.out = static_cast<std::uint16_t>(z.index);
  sent.e = departure.first + x.propagation + next.latency +
           std::max<Femto>(0, departure.serialisation - z.serialisation[sent.dw]);
  sent.slope = departure.spacing;
  if (x.gate == nullptr)
    enqueue(next, entered, sent);
  else
    pass_gate(x, fifo.tlp_class, sent, [&](const TlpRun& passed) { enqueue(next, entered, passed); });
  if (fifo.old > 0) mark_old(entered);
}

/// Transmissions that fail: the train was planned to end before the next error, so that only a single TLP is hit.
void Engine::replay(Transmitter& x, const TlpRun& run, Departure& departure) {
  const std::int64_t bytes = 4 * run.dw + x.framing;
  if (x.errors.unharmed(bytes) >= departure.count) return x.errors.pass(departure.count, bytes);
  const std::int64_t failed = x.errors.send(bytes);
  departure.replaying = failed * (departure.serialisation + x.replay_delay);
  departure.first += departure.replaying;
  x.replays += failed;
  x.replaying += departure.replaying;
}

/// How many of the winner's TLPs start without regard to anybody else, and when.
Engine::Departure Engine::plan(Transmitter& x, const Queue& fifo, const TlpRun& run, CreditLoop& credit) {
  const Femto start = x.decision;
  if (credit.limited()) credit.fold(start);
  if (fifo.takes_tags) x.node->leaf->fold_tags(start);
  send_dllps(x, start);
  x.queueing += start - fifo.head;
  x.credit_stall += x.stalling + start - std::max(x.ready_since, x.free);
  x.stalling = 0;
  Departure departure{start, 0, x.serialisation[run.dw], 1};
  std::int64_t most = run.count;
  if (x.error_prone) most = std::min(most, x.errors.unharmed(4 * run.dw + x.framing));
  if (most <= 1 || x.rival <= start + departure.serialisation) return departure;
  if (credit.limited() && x.candidates == fifo.bit && !fifo.takes_tags && run.slope <= departure.serialisation &&
      credit.covered(run.units) == 1)
    return plan_paced(x, fifo, run, credit, departure, most);
  if (credit.limited()) most = std::min(most, credit.covered(run.units));
  if (fifo.takes_tags) most = std::min(most, x.node->leaf->tags);
  const Femto wanted = start + (most - 1) * std::max(run.slope, departure.serialisation) + 1;
  const Femto limit = undisturbed_until(x, fifo, start, wanted);
  const bool others_wait = x.candidates != fifo.bit;  // the line's idle gaps may count as their stall
  Femto spacing = departure.serialisation;
  if (trains_) {
    if (run.slope > spacing) {
      if (start > run.e)
        most = std::min(most, (start - run.e) / (run.slope - spacing) + 1);
      else
        spacing = run.slope;
      if (others_wait && spacing > departure.serialisation) most = 1;
    }
    most = std::min(most, (limit - 1 - start) / spacing + 1);
    departure.count = static_cast<std::int32_t>(most);
    departure.spacing = most == 1 ? 0 : spacing;
    return departure;
  }
  Femto eligible = run.e, at = start;
  while (departure.count < most) {
    eligible += run.slope;
    const Femto next = std::max(eligible, at + departure.serialisation);
    if (next >= limit || (others_wait && next > at + departure.serialisation) ||
        (departure.count > 1 && next - at != departure.spacing))
      break;
    departure.spacing = next - at;
    at = next;
    ++departure.count;
  }
  return departure;
}

/// With the last credits taken, each further TLP waits for the return of its own.
Engine::Departure Engine::plan_paced(Transmitter& x, const Queue& fifo, const TlpRun& run, CreditLoop& credit,
                                     Departure departure, std::int64_t most) {
  const Femto start = departure.first;
  const auto [spacing, returns] = credit.pace(run.units, start, departure.serialisation);
  if (returns == 0) return departure;
  most = std::min(most, returns + 1);
  const Femto limit = undisturbed_until(x, fifo, start, start + (most - 1) * spacing + 1);
  const std::int64_t count = std::min(most, (limit - 1 - start) / spacing + 1);
  if (count <= 1) return departure;
  departure.count = static_cast<std::int32_t>(count);
  departure.spacing = spacing;
  const Femto waiting = (count - 1) * (spacing - departure.serialisation);
  x.queueing += waiting;
  x.credit_stall += waiting;
  credit.fold(departure.last());
  return departure;
}

/// Takes the departing TLPs out of their queue, frees what they held there, and looks at who was waiting for that.
void Engine::leave_queue(Transmitter& x, Queue& fifo, const Departure& departure) {
  Ingress& in = *fifo.ingress;
  NodeState& node = *x.node;
  TlpRun& run = fifo.runs.front();
  if (in.from != nullptr) {
    Transmitter& back = *in.from;
    CreditLoop& credit = back.credit[static_cast<std::size_t>(in.channel * 3 + fifo.tlp_class)];
    if (credit.limited()) {
      credit.give(departure.first + departure.serialisation + back.update_fc, departure.spacing, departure.count,
                  run.units);
      if (back.unknown) touch(back);
    }
  }
  fifo.left = x.free;
  if (run.count == departure.count) {
    pop(fifo);
    x.candidates &= ~fifo.bit;
    if (fifo.runs.size() <= 1) node.mixed &= ~fifo.bit;
  } else {
    go_ahead(run, departure.count);  // answers that are over keep what follows them until they are used again
  }
  if (fifo.tlp_class == static_cast<int>(pcie::TlpClass::posted)) {
    in.posted_out += departure.count;
    in.posted_left = x.free;
    if ((node.blocked & (fifo.bit << 1)) != 0) refresh_head(node, node.queues[fifo.slot + 1]);
    if ((node.blocked & (fifo.bit << 2)) != 0) refresh_head(node, node.queues[fifo.slot + 2]);
  }
  if (!fifo.runs.empty()) refresh_head(node, fifo);
}

void Engine::take_tags(Leaf& leaf, const TlpRun& run, const Departure& departure) {
  leaf.tags -= departure.count;
  if (records_[run.record].asked.answer != pcie::Status::no_answer) return;
  leaf.timeouts = true;
  for (std::int32_t i = 0; i < departure.count; ++i) {
    const Femto end =
        departure.first - departure.replaying + i * departure.spacing + femtoseconds(leaf.config.completion_timeout);
    leaf.release_tag(end);
    finish_request(run.record, pcie::Status::no_answer, end);
  }
}

/// Sends what is due up to and including `until`.
void Engine::send_dllps(Transmitter& x, Femto until) {
  while (x.due.front() <= until) {
    // A whole batch, if nobody waits meanwhile.
    if (x.due.front_sent() <= std::min(until, x.ready_since) && x.free <= x.due.front()) {
      x.free = x.due.front_sent();
      x.dllps += x.due.front_batch().size();
      x.due.pop_batch();
      continue;
    }
    const Femto send = std::max(x.free, x.due.front());
    if (send > until) return;
    const Femto idle_since = std::max(x.free, x.ready_since);
    if (send > idle_since) x.stalling += send - idle_since;
    x.free = send + x.dllp;
    ++x.dllps;
    x.due.pop();
  }
}

/// The DLLPs that arrivals of TLPs from `x` cause; moves on from when they may cause more.
DllpBatch Engine::caused(const Transmitter& x, Femto& next_ack, Femto& next_fc, Femto first, Femto spacing,
                         std::int32_t count) {
  DllpBatch batch;
  owe(batch.acks, x.ack_interval, next_ack, first, spacing, count);
  owe(batch.updates, x.fc_interval, next_fc, first, spacing, count);
  const Femto dllp = x.reverse->dllp;
  if (x.ack_interval >= 2 * dllp && x.fc_interval >= 2 * dllp) batch.sent = batch.sent_by(dllp);
  return batch;
}

/// Counts the DLLPs that have left by `until`, before which no TLP comes to `x`.
void Engine::retire_dllps(Transmitter& x, Femto until) {
  if (x.due.empty() || x.candidates != 0 || !x.up) return;
  while (x.due.front_sent() <= until && x.free <= x.due.front()) {
    x.free = x.due.front_sent();
    x.dllps += x.due.front_batch().size();
    x.due.pop_batch();
  }
}

/// Arrivals at the far end make it owe ACKs and UpdateFCs on the way back.
void Engine::cause_dllps(Transmitter& x, Femto first, Femto spacing, std::int32_t count, Femto now) {
  if (std::min(x.next_ack, x.next_fc) > first + (count - 1) * spacing) return;
  Transmitter& back = *x.reverse;
  retire_dllps(back, now);
  const DllpBatch batch = caused(x, x.next_ack, x.next_fc, first, spacing, count);
  back.due.push(batch);
  if (back.candidates != 0 && batch.front() <= back.decision) touch(back);
}

void Engine::record_tlps(const Transmitter& x, int tlp_class, const TlpRun& run, const Departure& departure) {
  const Record& record = records_[run.record];
  const Transaction& t = record.asked;
  for (std::int32_t i = 0; i < departure.count; ++i) {
    const Instant start{Duration{departure.first + i * departure.spacing}};
    observer_->observe({LinkId{static_cast<std::uint16_t>(x.index / 2)}, x.index % 2,
                        static_cast<pcie::TlpClass>(tlp_class), t.op, t.purpose, record.requester, t.target, t.cookie,
                        run.address + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(run.step),
                        Bytes{4 * run.data_dw}, start, start + Duration{departure.serialisation}, x.channel(t)});
  }
}

}  // namespace peerpath::fabric
