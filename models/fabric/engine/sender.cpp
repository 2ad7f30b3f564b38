#include "fabric/engine/sender.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "fabric/engine/link_layer.hpp"

namespace peerpath::fabric::engine {

namespace {

/// Whether nobody else is a candidate.
bool alone(const Transmitter& x, const Fifo& fifo) {
  return x.candidates[fifo.channel] == fifo.bit && x.candidates[1u - fifo.channel] == 0;
}

/// The only candidate of a transmitter, if it goes by VC 0.
Fifo* sole_candidate(const Transmitter& x) {
  const std::uint64_t slots = x.candidates[0];
  if (x.candidates[1] != 0 || slots == 0 || (slots & (slots - 1)) != 0) return nullptr;
  return &x.fifos[0][std::countr_zero(slots)];
}

}  // namespace

// ------------------------------------------------------------------------------------------------ who starts next

void Sender::settle_touched() {
  for (Transmitter* x : s_.touched) {
    x->touched = false;
    decide(*x);
    s_.decisions.set(static_cast<std::size_t>(x->index), x->decision);
  }
  s_.touched.clear();
}

[[gnu::always_inline]] inline void Sender::decide(Transmitter& x) {
  x.rival = x.ready_since = unknown_time;
  x.unknown = false;
  if (!x.up) {
    x.decision = unknown_time;
    return;
  }
  Fifo* const only = sole_candidate(x);
  if (only != nullptr && (!only->takes_tags || x.node->endpoint->tags > 0) &&
      x.credit[only->tlp_class].covers(only->runs.front().units)) {
    x.winner = only;
    x.ready_since = only->head;
    x.decision = after_dllps(x, std::max(only->head, x.free));
  } else {
    x.decision = x.has_candidates() ? decide_among(x) : unknown_time;
  }
}

/// From when the head of a FIFO may start on `x`; `unknown_time` if it needs a return that is not known yet.
Femto Sender::ready(Transmitter& x, const Fifo& fifo) {
  Femto when = fifo.head;
  if (fifo.takes_tags && x.node->endpoint->tags == 0) {
    when = std::max(when, x.node->endpoint->tag_at());
    x.unknown = x.unknown || x.node->endpoint->timeouts || s_.may_stray;  // a timeout may come before it
  }
  x.ready_since = std::min(x.ready_since, when);
  const CreditLoop& credit = x.credit[fifo.pool];
  if (const int units = fifo.runs.front().units; !credit.covers(units)) {
    const CreditLoop::Cover cover = credit.covered_at(units);
    when = std::max(when, cover.when);
    x.unknown = x.unknown || !cover.final;
  }
  x.unknown = x.unknown || when == unknown_time;
  return when;
}

/// The general case: several candidates, or one that waits for credits or tags.
[[gnu::noinline]] Femto Sender::decide_among(Transmitter& x) {
  std::array<std::array<Femto, 64>, 2> when;
  Femto first = unknown_time;
  for (std::size_t channel = 0; channel < 2; ++channel)
    for (std::uint64_t left = x.candidates[channel]; left != 0; left &= left - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(left));
      when[channel][slot] = ready(x, x.fifos[channel][slot]);
      first = std::min(first, when[channel][slot]);
    }
  if (first == unknown_time) return unknown_time;
  const Femto start = after_dllps(x, std::max(first, x.free));
  SlotsByChannel eligible{};
  for (std::size_t channel = 0; channel < 2; ++channel)
    for (std::uint64_t left = x.candidates[channel]; left != 0; left &= left - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(left));
      if (when[channel][slot] <= start)
        eligible[channel] |= left & -left;
      else
        x.rival = std::min(x.rival, when[channel][slot]);
    }
  const Arbiter::Winner next = x.arbiter.pick(eligible);
  x.winner = &x.fifos[static_cast<std::size_t>(next.channel)][next.slot];
  eligible[static_cast<std::size_t>(next.channel)] &= ~x.winner->bit;
  if ((eligible[0] | eligible[1]) != 0) x.rival = start;
  return start;
}

bool Sender::is_cut(const Transmitter& x) const {
  const Fifo& fifo = *x.winner;
  const TlpRun& run = fifo.runs.front();
  const Femto last = x.decision + (run.count - 1) * std::max(run.slope, x.serialisation[run.dw]);
  return run.count > 1 && last >= s_.horizon && x.peer->endpoint == nullptr && s_.observer == nullptr &&
         !x.error_prone && x.vc1_classes == 0 && x.gate == nullptr && !s_.one_queue && !s_.may_stray &&
         alone(x, fifo) && !x.unknown && x.stalling == 0 && x.blocked == 0 &&
         !(fifo.takes_tags && s_.records[run.record].asked.answer == pcie::Status::no_answer) &&
         (std::min(x.next_ack, x.next_fc) >= s_.horizon ||
          ahead_.next_start_before(*x.reverse, x.decision, x.decision, s_.horizon) >= s_.horizon);
}

// ------------------------------------------------------------------------------------------------ how many start

/// How many of the winner's TLPs start without regard to anybody else, and when.
Departure Sender::plan(Transmitter& x, const Fifo& fifo, const TlpRun& run, CreditLoop& credit, Femto& foreseen) {
  const Femto start = x.decision;
  if (credit.limited()) credit.fold_for(run.count, run.units, start);
  if (fifo.takes_tags) x.node->endpoint->fold_tags(start);
  send_dllps(x, start);
  x.queueing += start - fifo.head;
  x.credit_stall += x.stalling + start - std::max(x.ready_since, x.free);
  x.stalling = 0;
  Departure departure{start, 0, x.serialisation[run.dw], 1};
  if (run.count > 1 && x.rival > start + departure.serialisation) plan_train(x, fifo, credit, departure, foreseen);
  return departure;
}

void Sender::plan_train(Transmitter& x, const Fifo& fifo, CreditLoop& credit, Departure& departure, Femto& foreseen) {
  const TlpRun& run = fifo.runs.front();
  const Femto start = departure.first, serialisation = departure.serialisation;
  std::int64_t most = run.count;
  if (x.error_prone) most = std::min(most, x.errors.unharmed(4 * run.dw + x.framing));
  if (credit.limited()) {
    const std::int64_t covered = credit.covered(most, run.units);
    if (covered == 1 && foreseen == 0 && most > 1 && alone(x, fifo) && !fifo.takes_tags && run.slope <= serialisation)
      return plan_paced(x, fifo, credit, departure, most);
    most = covered;
  }
  if (fifo.takes_tags) most = std::min(most, x.node->endpoint->tags);
  Femto spacing = serialisation;
  if (run.slope > serialisation) {
    if (start > run.e)
      most = std::min(most, (start - run.e) / (run.slope - serialisation) + 1);
    else if (alone(x, fifo))
      spacing = run.slope;
    else
      return;  // the idle gaps of the line may count as the stall of those that lack credits
  }
  if (most <= 1) return;
  const Femto last = start + (most - 1) * spacing;
  if (foreseen == 0) {
    Femto wanted = last;
    if (fifo.runs.size() > 1 || x.due.front() <= last)
      wanted = std::max(wanted, fifo.runs.back().last_e()) + serialisation;
    foreseen = ahead_.foreseen_until(x, fifo, start, last, std::min(wanted + 1, x.rival));
  }
  const Femto limit = std::min(std::min(foreseen, x.rival), std::min(s_.horizon, x.due.front()));
  if (limit <= last) most = (limit - 1 - start) / spacing + 1;
  departure.count = static_cast<std::int32_t>(most);
  departure.spacing = most == 1 ? 0 : spacing;
}

/// With the last credits taken, each further TLP waits for the return of its own.
[[gnu::noinline]] void Sender::plan_paced(Transmitter& x, const Fifo& fifo, CreditLoop& credit, Departure& departure,
                                          std::int64_t most) {
  const Femto start = departure.first;
  const TlpRun& run = fifo.runs.front();
  const bool to_endpoint = x.peer->endpoint != nullptr;
  const int stream = to_endpoint ? 0 : queues_.entered(x, fifo, s_.records[run.record]).lane->stream;
  const auto [spacing, returns] = credit.pace(stream, run.units, start, departure.serialisation);
  if (returns == 0) return;
  most = std::min(most, returns + 1);
  const Femto last = start + (most - 1) * spacing;
  const Femto limit = std::min(ahead_.foreseen_until(x, fifo, start, last, std::min(last + 1, x.rival)), x.due.front());
  const std::int64_t count = std::min(most, (limit - 1 - start) / spacing + 1);
  if (count <= 1) return;
  departure.count = static_cast<std::int32_t>(count);
  departure.spacing = spacing;
  const Femto waiting = (count - 1) * (spacing - departure.serialisation);
  x.queueing += waiting;
  x.credit_stall += waiting;
  credit.fold(departure.last());
}

// ------------------------------------------------------------------------------------------------ what follows

void Sender::carry_out(Transmitter& x) {
  const Femto now = x.decision;
  const Fifo* const fifo = x.winner;
  x.touched = true;
  Femto foreseen = 0;
  do {
    start(x, now, foreseen);
    decide(x);
  } while (x.decision < std::min(foreseen, s_.horizon) && x.winner == fifo && !x.unknown && !may_put_off(x));
  x.touched = false;
  s_.decisions.set(static_cast<std::size_t>(x.index), x.decision);
}

/// Starts what is decided; `now` is the start of the first that is carried out at once.
void Sender::start(Transmitter& x, Femto now, Femto& foreseen) {
  Fifo& fifo = *x.winner;
  const TlpRun& run = fifo.runs.front();
  CreditLoop& credit = x.credit[fifo.pool];
  Departure departure = plan(x, fifo, run, credit, foreseen);
  if (x.error_prone) replay(x, run, departure);
  const std::int32_t count = departure.count;
  if (s_.observer != nullptr) record_tlps(x, fifo, departure);
  const Record& record = s_.records[run.record];
  const Bytes data{4 * run.data_dw * count};
  Tally& tally = x.tallies[record.tally];
  tally.tlps += count;
  tally.payload += data;
  if (run.data_dw > 0) x.accounts[record.asked.account] += Bytes{std::int64_t{run.step} * count};
  tally.overhead += Bytes{(4 * (run.dw - run.data_dw) + x.framing) * count};
  x.busy += departure.serialisation * count;
  x.free = departure.last() + departure.serialisation;
  x.arbiter.started(fifo.channel, fifo.slot, count);
  if (credit.limited()) credit.take(count, run.units);
  if (fifo.takes_tags) take_tags(*x.node->endpoint, run, departure);
  if (record.asked.tell_sent && x.node->endpoint != nullptr) note_sent(*x.node->endpoint, fifo, run, departure);

  const Femto arrival = departure.first + departure.serialisation + x.propagation;
  cause_dllps(s_, x, arrival, departure.spacing, count, now);
  if (x.peer->endpoint != nullptr)
    receiver_.receive(x, fifo, run, arrival, departure.spacing, count);
  else
    send_on(x, fifo, run, record, departure);
  queues_.leave(x, fifo, departure);
  if (s_.one_queue && x.node->endpoint != nullptr) receiver_.note_left(fifo, *x.node->endpoint, departure);
}

/// TLPs that depart to a router enter their queue there.
void Sender::send_on(Transmitter& x, const Fifo& fifo, const TlpRun& run, const Record& record,
                     const Departure& departure) {
  Fifo& entered = queues_.entered(x, fifo, record);
  TlpRun& sent = entered.runs.push(run);
  if (departure.count < run.count) queues_.cut(sent, departure.count);
  sent.e = departure.first + x.propagation + x.peer->latency +
           std::max<Femto>(0, departure.serialisation - entered.out->serialisation[sent.dw]);
  sent.slope = departure.spacing;
  if (x.gate != nullptr)
    for (TlpRun rest; !receiver_.pass_gate(x, fifo.tlp_class, entered.runs.back(), record, rest);
         entered.runs.push(rest))
      queues_.enter(entered, record);
  queues_.enter(entered, record);
}

/// Transmissions that fail: the train was planned to end before the next error, so that only a single TLP is hit.
[[gnu::noinline]] void Sender::replay(Transmitter& x, const TlpRun& run, Departure& departure) {
  const std::int64_t bytes = 4 * run.dw + x.framing;
  if (x.errors.unharmed(bytes) >= departure.count) return x.errors.pass(departure.count, bytes);
  const std::int64_t failed = x.errors.send(bytes);
  departure.replaying = failed * (departure.serialisation + x.replay_delay);
  departure.first += departure.replaying;
  x.replays += failed;
  x.replaying += departure.replaying;
}

[[gnu::noinline]] void Sender::take_tags(EndpointState& endpoint, const TlpRun& run, const Departure& departure) {
  endpoint.tags -= departure.count;
  if (s_.records[run.record].asked.answer != pcie::Status::no_answer) return;
  endpoint.timeouts = true;
  s_.records[run.record].missing += Bytes{std::int64_t{run.step} * departure.count};
  for (std::int32_t i = 0; i < departure.count; ++i) {
    const Femto end = departure.first - departure.replaying + i * departure.spacing +
                      femtoseconds(endpoint.config.completion_timeout);
    endpoint.release_tag(end);
    receiver_.finish_requests(run.record, pcie::Status::no_answer, end, 1);
  }
}

/// TLPs leave a requester that wants to know when the last of them has.
[[gnu::noinline]] void Sender::note_sent(EndpointState& endpoint, Fifo& fifo, const TlpRun& run,
                                         const Departure& departure) {
  Record& record = s_.records[run.record];
  record.unsent -= departure.count;
  if (record.unsent > 0) return;
  const Femto left = departure.last() + departure.serialisation;
  const bool notify = record.asked.notify_sent;
  if (notify) {
    --endpoint.sends_coming, --fifo.sends_coming;
    s_.notice(endpoint, left);
  }
  s_.sink.deliver(record.told(DeliveryKind::sent, notify, pcie::Status::success, left));
}

[[gnu::noinline]] void Sender::record_tlps(const Transmitter& x, const Fifo& fifo, const Departure& departure) {
  const TlpRun& run = fifo.runs.front();
  const Record& record = s_.records[run.record];
  const Transaction& t = record.asked;
  for (std::int32_t i = 0; i < departure.count; ++i) {
    const Instant start{Duration{departure.first + i * departure.spacing}};
    s_.observer->observe({LinkId{static_cast<std::uint16_t>(x.index / 2)}, x.index % 2,
                          static_cast<pcie::TlpClass>(fifo.tlp_class), t.op, t.purpose, record.requester, t.target,
                          t.cookie, run.address + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(run.step),
                          Bytes{4 * run.data_dw}, start, start + Duration{departure.serialisation}, x.channel(t)});
  }
}

}  // namespace peerpath::fabric::engine
