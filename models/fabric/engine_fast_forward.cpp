// When a state of the whole domain comes again, what followed from it does too: it is booked step by step without being
// played, in one `advance` after the other, and the state is made only when something else comes.

#include <algorithm>
#include <span>
#include <utility>

#include "fabric/engine.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric {

/// Steps that follow one another.
struct Engine::FastForward {
  Engine& engine;
  Recurrence& r;
  bool unlike = false;  ///< other transactions come than then
  bool moved = false;   ///< the domain stands at a later state than before

  recurrence::Step& step_from(int state) const { return r.states[static_cast<std::size_t>(state)].step; }
  std::uint32_t record_at(const recurrence::Place& place) const {
    const auto& flow = r.flows[place.flow];
    return flow[flow.delivered + place.rank];
  }
  /// How many times from `first` on at `spacing` come before `end`.
  static std::int32_t before(Femto end, Femto first, Femto spacing, std::int32_t count) {
    if (first >= end) return 0;
    return spacing == 0 ? count : static_cast<std::int32_t>(std::min<Femto>(count, (end - 1 - first) / spacing + 1));
  }

  void begin(int state, Femto now);
  bool go_on(bool may_lag);
  void finish();

  bool comes(const recurrence::Coming& next, const recurrence::Flow& flow, Femto now) const;
  bool all_come(const recurrence::Step& step, Femto now, Femto end);
  bool ask_all(recurrence::Step& step);
  bool ask_whole(recurrence::Step& step);
  bool ask_alike(const recurrence::Step& step, Femto now, Femto until);
  void add_alike(const recurrence::Step& step, const recurrence::Questions& all, Femto now, Femto until);
  void use(int transmitter, std::int64_t tlps);
  void expect(int transmitter, Femto delay, std::int64_t tlps);
  bool ask(const recurrence::Question& q, Femto now, std::int32_t count);
  GatedTlp tlp_of(const recurrence::Gated& q, Femto at) const;
  void deliver(std::uint32_t record, Femto done);
  void book(const recurrence::Step& step);
  void count_all();
  void move_on(const recurrence::Step& step, int times);
  bool look_ahead();
  bool part_comes(const recurrence::Step& step, Femto now);
  bool ask_part(const recurrence::Step& step, Femto now);
  void tell_part(const recurrence::Step& step, Femto now);
  template <class See>
  bool each_part(See&& see);
};

/// Whether what is to come depends on the state alone, and that on time differences.
bool Engine::may_recur() const {
  return notices_coming_ == 0 && bounds_.empty() && !may_stray_ && old_runs_ == 0 && observer_ == nullptr &&
         parked_.empty();
}

/// A transaction is about to start on `x`: repeats what followed from this state before, as far as that is certain.
bool Engine::fast_forward_from(Transmitter& x) {
  constexpr std::int32_t patience = 100;
  Recurrence& r = recurrence_;
  if (!recurs_) return r.budget.give_up(), false;
  const Queue& fifo = x.node->queues[x.winner];
  if (fifo.flow == nobody || fifo.runs.front().address != records_[fifo.runs.front().record].asked.address)
    return false;
  if (x.index != r.anchor) {
    if (r.anchor >= 0 && ++r.elsewhere < patience) return false;
    r.anchor = x.index;
    forget_recurrence();
  }
  r.elsewhere = 0;
  const Femto now = x.decision;
  const int expected = r.last < 0 ? -1 : r.states[static_cast<std::size_t>(r.last)].step.to;
  if (now == r.forwarded_to && expected >= 0) return false;
  const int state = may_recur() && describe_state(x) ? find_state(expected) : -1;
  if (r.kinds.size() > Recurrence::most_kinds) return forget_recurrence(), false;
  if (r.listener.learning) end_step(state, now);
  r.last = state;
  r.budget.spend(state < 0 ? 16 : 1);
  if (state < 0 || r.budget.rest > 0) return false;
  // What is in hand of the gates may be another answer than then.
  const bool in_hand = std::ranges::any_of(r.in_hand, [](std::int64_t tlps) { return tlps > 0; });
  if (r.states[static_cast<std::size_t>(state)].step.to >= 0 && !in_hand) {
    FastForward steps{*this, r};
    steps.begin(state, now);
    r.asked_until = now;
    const bool all = steps.go_on(parking_);
    r.budget.earn(4 * static_cast<std::int64_t>(r.steps));
    if (!all && r.steps > 0) steps.finish();
    if (all || steps.moved) return true;
  }
  if (r.states[static_cast<std::size_t>(state)].step.to < 0) begin_step(now);
  return false;
}

/// Goes on with the steps; false if that does not reach the horizon, and the state is made.
bool Engine::fast_forward_on() {
  Recurrence& r = recurrence_;
  FastForward steps{*this, r};
  r.active.clear();
  for (const auto& flow : r.flows)
    if (!flow.queue->runs.empty() || !flow.under_way.empty()) r.active.push_back(flow.queue->flow);
  if (may_recur() && steps.go_on(parking_)) return true;
  steps.finish();
  return false;
}

void Engine::FastForward::begin(int state, Femto now) {
  r.state = state;
  r.now = now;
  r.steps = 0;
  r.over.clear();
}

/// Books the steps that are over before the horizon, and what comes before it in the next ones, if that is possible;
/// then nothing more needs be played.
bool Engine::FastForward::go_on(bool may_lag) {
  constexpr std::size_t most_over = 512;
  r.riding = false;
  for (;; ++r.steps) {
    recurrence::Step& step = step_from(r.state);
    if (step.to < 0) return false;
    if (r.over.size() > most_over) {
      finish();
      engine.gather_flows(r.now + r.states[static_cast<std::size_t>(r.state)].ahead);
      begin(r.state, r.now);
    }
    const auto& next = r.states[static_cast<std::size_t>(step.to)];
    const Femto then = r.now + step.span;
    if (then + next.ahead > engine.horizon_) {
      r.riding = may_lag && look_ahead();
      return r.riding;
    }
    if (!all_come(step, r.now, then + next.ahead + 1)) {
      if (unlike) r.states[static_cast<std::size_t>(r.state)].step.to = -1;
      return false;
    }
    if (!ask_all(step)) return false;
    book(step);
    ++r.states[static_cast<std::size_t>(r.state)].times;
    move_on(step, 1);
    r.now = then;
    r.state = step.to;
  }
}

bool Engine::FastForward::comes(const recurrence::Coming& next, const recurrence::Flow& flow, Femto now) const {
  const TlpRun& run = flow.queue->runs[flow.next];
  const Record& record = engine.records_[run.record];
  const std::int64_t left =
      flow.queue->ingress->posted_out + (flow.queue->tlp_class == 0 ? flow.posted : (&flow)[-1].posted);
  return run.e == now + next.e && run.slope == 0 && run.shape() == next.shape &&
         (run.count | std::int64_t{run.step} << 32) == next.count_and_step && run.address == record.asked.address &&
         std::int64_t{run.count} * run.step == record.asked.bytes.count() &&
         recurrence::same_kind(r.kinds[next.kind], record) &&
         (run.mark > 0 && run.mark >= left ? run.mark - left + 1 : 0) == next.mark;
}

/// Whether of what was to become ready in a step from `now` on the same does so before `end`, and nothing else. Moves
/// on to what is to become ready next if so.
bool Engine::FastForward::all_come(const recurrence::Step& step, Femto now, Femto end) {
  bool same = true;
  std::size_t come = 0;
  for (; come < step.coming.size() && same; ++come) {
    const auto& next = step.coming[come];
    if (now + next.e >= end) continue;
    auto& flow = r.flows[next.flow];
    same = flow.next < flow.queue->runs.size() && comes(next, flow, now);
    flow.next += same ? 1 : 0;
    unlike = unlike || (!same && flow.next < flow.queue->runs.size());
  }
  for (const std::uint32_t f : r.active) {
    const auto& flow = r.flows[f];
    if (flow.next < flow.queue->runs.size() && flow.queue->runs[flow.next].e < end) {
      unlike = unlike || same;
      same = false;
    }
  }
  return same;
}

GatedTlp Engine::FastForward::tlp_of(const recurrence::Gated& q, Femto at) const {
  GatedTlp tlp = recurrence::tlp_of(q, engine.records_[record_at(q.place)]);
  tlp.at = Instant{Duration{at}};
  return tlp;
}

/// Asks the gates. If one does not answer as it did then, what they have said is kept until the TLPs come.
bool Engine::FastForward::ask_all(recurrence::Step& step) {
  if (step.questions.empty()) return true;
  if (r.now + step.first_start >= r.asked_until) {
    if (ask_whole(step)) return true;
  } else if (ask_alike(step, r.now, unknown_time)) {
    for (const auto& gate : step.gates)
      use(gate.transmitter, std::min(r.in_hand[static_cast<std::size_t>(gate.transmitter)], gate.tlps));
    return true;
  }
  std::ranges::fill(r.used, 0);
  for (const auto& q : step.questions)
    if (!ask(q, r.now, q.count)) return false;
  for (const auto& gate : step.gates) use(gate.transmitter, gate.tlps);
  return true;
}

/// All of a step of which the gates know nothing yet at once, if each of these knows what to say: else nothing is
/// asked, since what one says may change what the next one is asked.
bool Engine::FastForward::ask_whole(recurrence::Step& step) {
  for (auto& gate : step.gates) {
    for (std::size_t i = 0; i < gate.all.size(); ++i) {
      const recurrence::Questions& all = gate.all[i];
      GatedTlp& first = gate.asked[i].first;
      first.address = engine.records_[record_at(all.place)].asked.address + all.offset;
      first.at = Instant{Duration{r.now + all.at}};
    }
    if (!engine.transmitters_[static_cast<std::size_t>(gate.transmitter)].gate->all_alike(gate.asked)) return false;
  }
  for (const auto& gate : step.gates)
    engine.transmitters_[static_cast<std::size_t>(gate.transmitter)].gate->pass_alike(gate.asked);
  return true;
}

/// The same for what of a step starts before `until` and is not known to the gates.
bool Engine::FastForward::ask_alike(const recurrence::Step& step, Femto now, Femto until) {
  r.alike.clear(), r.alike_last.clear();
  r.alike_ends.clear();
  for (const auto& gate : step.gates) {
    const std::size_t first = r.alike.size();
    for (const auto& all : gate.all) add_alike(step, all, now, until);
    for (std::size_t i = first + 1; i < r.alike.size(); ++i)
      for (std::size_t k = i; k > first && r.alike_last[k - 1] > r.alike_last[k]; --k) {
        std::swap(r.alike_last[k - 1], r.alike_last[k]);
        std::swap(r.alike[k - 1], r.alike[k]);
      }
    r.alike_ends.push_back(r.alike.size());
    if (r.alike.size() > first && !engine.transmitters_[static_cast<std::size_t>(gate.transmitter)].gate->all_alike(
                                      std::span{r.alike}.subspan(first)))
      return false;
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < step.gates.size(); first = r.alike_ends[i++])
    if (r.alike_ends[i] > first)
      engine.transmitters_[static_cast<std::size_t>(step.gates[i].transmitter)].gate->pass_alike(
          std::span{r.alike}.subspan(first, r.alike_ends[i] - first));
  return true;
}

/// Notes those TLPs of some that start before `until` and about which the gate does not know.
void Engine::FastForward::add_alike(const recurrence::Step& step, const recurrence::Questions& all, Femto now,
                                    Femto until) {
  if (now + all.start >= until || now + all.last_start < r.asked_until) return;
  AlikeTlps tlps{tlp_of(all, now + all.at), Duration{all.last_at - all.at}, all.count, Duration{all.delay}};
  Femto last_start = all.last_start;
  if (now + all.last_start >= until || now + all.start < r.asked_until) {
    std::int32_t known = 0, count = 0;
    Femto first_at = 0, last_at = 0;
    for (const std::uint32_t part : all.parts) {
      const recurrence::Question& q = step.questions[part];
      const std::int32_t skipped = before(r.asked_until, now + q.start, q.slope, q.count);
      const std::int32_t asked = before(until, now + q.start, q.slope, q.count) - skipped;
      known += skipped;
      if (asked <= 0) continue;
      const std::int32_t last = skipped + asked - 1;
      if (count == 0) first_at = q.at + skipped * q.slope;
      count += asked;
      last_at = q.at + last * q.slope;
      last_start = q.start + last * q.slope;
    }
    if (count == 0) return;
    tlps.first.at = Instant{Duration{now + first_at}};
    tlps.first.address += static_cast<std::uint64_t>(known) * static_cast<std::uint64_t>(all.step);
    tlps.span = Duration{last_at - first_at};
    tlps.count = count;
  }
  r.alike.push_back(tlps);
  r.alike_last.push_back(last_start);
}

/// So many TLPs have come to a gate.
void Engine::FastForward::use(int transmitter, std::int64_t tlps) {
  r.in_hand[static_cast<std::size_t>(transmitter)] -= tlps;
  for (auto& said = engine.transmitters_[static_cast<std::size_t>(transmitter)].foreseen; tlps > 0;) {
    const std::int64_t some = std::min(tlps, said.front().count);
    tlps -= some;
    said.front().count -= some;
    if (said.front().count == 0) said.pop();
  }
}

/// A gate has said what the next TLPs are delayed by.
void Engine::FastForward::expect(int transmitter, Femto delay, std::int64_t tlps) {
  auto& said = engine.transmitters_[static_cast<std::size_t>(transmitter)].foreseen;
  r.in_hand[static_cast<std::size_t>(transmitter)] += tlps;
  if (!said.empty() && said.back().delay == delay)
    said.back().count += tlps;
  else
    said.push({delay, tlps});
}

/// About the first `count` TLPs of a question, as far as the gate has not been asked yet.
bool Engine::FastForward::ask(const recurrence::Question& q, Femto now, std::int32_t count) {
  const auto i = static_cast<std::size_t>(q.transmitter);
  Transmitter& x = engine.transmitters_[i];
  GatedTlp tlp = tlp_of(q, now + q.at);
  const auto skip = [&](std::int32_t tlps) {
    tlp.at += tlps * Duration{q.slope};
    tlp.address += static_cast<std::uint64_t>(tlps) * static_cast<std::uint64_t>(q.step);
  };
  const auto known = static_cast<std::int32_t>(std::min<std::int64_t>(count, r.in_hand[i] - r.used[i]));
  skip(known);
  r.used[i] += count;
  for (std::int32_t left = count - known; left > 0;) {
    const GatedRun passed = x.gate->pass_run(tlp, Duration{q.slope}, left);
    require(passed.first >= tlp.at, "a gate does not turn time back");
    require(passed.count > 0 && passed.count <= left, "a gate answers for what it was asked");
    const Femto delay = femtoseconds(passed.first) - femtoseconds(tlp.at);
    expect(q.transmitter, delay, passed.count);
    if (delay != q.delay) return false;
    left -= passed.count;
    skip(passed.count);
  }
  return true;
}

void Engine::FastForward::deliver(std::uint32_t index, Femto done) {
  const Record& record = engine.records_[index];
  const bool posted = pcie::request_class(record.asked.op) == pcie::TlpClass::posted;
  engine.recurrence_.listener.to->deliver(
      record.told(posted ? DeliveryKind::arrived : DeliveryKind::completed, false, pcie::Status::success, done));
}

/// Delivers what comes of a step. What is counted can wait until somebody looks.
void Engine::FastForward::book(const recurrence::Step& step) {
  for (const auto& told : step.told) {
    const std::uint32_t index = record_at(told.place);
    const Record& record = engine.records_[index];
    r.over.push_back(index);
    if (pcie::request_class(record.asked.op) != pcie::TlpClass::posted)
      engine.leaf(record.requester).steady.answered = r.now + told.done;
    if (!r.listener.told_before(r.now + told.done)) deliver(index, r.now + told.done);
  }
  for (const auto& more : step.expected) {
    Leaf& leaf = engine.leaves_[more.leaf];
    leaf.inbound += more.inbound;
    leaf.requests_coming += more.requests_coming;
    leaf.requests += static_cast<std::uint64_t>(more.requests);
  }
}

/// Counts what has come of all steps.
void Engine::FastForward::count_all() {
  for (auto& state : r.states) {
    const std::int64_t times = std::exchange(state.times, 0);
    if (times == 0) continue;
    for (const auto& booked : state.step.booked) {
      Transmitter& x = engine.transmitters_[booked.transmitter];
      x.dllps += times * booked.dllps;
      x.busy += times * booked.busy;
      x.queueing += times * booked.queueing;
      x.credit_stall += times * booked.credit_stall;
    }
    for (const auto& counted : state.step.counted) {
      Tally& tally = engine.transmitters_[counted.transmitter].tallies[counted.tally];
      tally.tlps += times * counted.tlps;
      tally.payload += Bytes{times * counted.payload};
      tally.overhead += Bytes{times * counted.overhead};
    }
  }
}

/// Moves the flows on by so many such steps.
void Engine::FastForward::move_on(const recurrence::Step& step, int times) {
  for (const auto& progress : step.progress) {
    auto& flow = r.flows[progress.flow];
    flow.delivered += static_cast<std::size_t>(times * static_cast<int>(progress.delivered));
    flow.posted += times * progress.posted;
  }
}

/// Calls `see` with each step that begins before the horizon and its beginning; false if one is not known or `see` says
/// so. Flows stand afterwards as they did before.
template <class See>
bool Engine::FastForward::each_part(See&& see) {
  r.next_then.clear();
  for (const std::uint32_t f : r.active) r.next_then.push_back(r.flows[f].next);
  bool fine = true;
  std::size_t parts = 0;
  Femto now = r.now;
  for (int state = r.state; now < engine.horizon_; ++parts) {
    const recurrence::Step& step = step_from(state);
    fine = step.to >= 0 && see(step, now);
    if (!fine) break;
    move_on(step, 1);
    now += step.span;
    state = step.to;
  }
  for (int state = r.state; parts > 0; --parts, state = step_from(state).to) move_on(step_from(state), -1);
  for (std::size_t i = 0; i < r.active.size(); ++i) r.flows[r.active[i]].next = r.next_then[i];
  return fine;
}

/// Steps that are not over at the horizon: does all that may be seen of their part before it, if that is certain.
bool Engine::FastForward::look_ahead() {
  if (!each_part([&](const recurrence::Step& step, Femto now) { return part_comes(step, now); })) return false;
  std::ranges::fill(r.used, 0);
  if (!each_part([&](const recurrence::Step& step, Femto now) { return ask_part(step, now); })) return false;
  each_part([&](const recurrence::Step& step, Femto now) {
    tell_part(step, now);
    return true;
  });
  r.listener.told_until = r.asked_until = engine.horizon_;
  return true;
}

/// Whether the same becomes ready before the horizon as then.
bool Engine::FastForward::part_comes(const recurrence::Step& step, Femto now) {
  return all_come(step, now,
                  std::min(engine.horizon_, now + step.span + r.states[static_cast<std::size_t>(step.to)].ahead + 1));
}

bool Engine::FastForward::ask_part(const recurrence::Step& step, Femto now) {
  const bool alike = ask_alike(step, now, engine.horizon_);
  for (const auto& q : step.questions) {
    const std::int32_t count = before(engine.horizon_, now + q.start, q.slope, q.count);
    if (count == 0) continue;
    if (!alike) {
      if (!ask(q, now, count)) return false;
      continue;
    }
    const auto i = static_cast<std::size_t>(q.transmitter);
    const std::int64_t known = std::min<std::int64_t>(count, r.in_hand[i] - r.used[i]);
    r.used[i] += count;
    if (count > known) expect(q.transmitter, q.delay, count - known);
  }
  return true;
}

/// Tells what is done by the horizon and has not been told.
void Engine::FastForward::tell_part(const recurrence::Step& step, Femto now) {
  for (const auto& told : step.told) {
    const Femto done = now + told.done;
    if (done > engine.horizon_ || done <= r.listener.told_until) continue;
    ++r.listener.ahead;
    deliver(record_at(told.place), done);
  }
}

/// Makes the state that has been reached.
void Engine::FastForward::finish() {
  count_all();
  r.riding = false;
  r.forwarded_to = r.now;
  engine.played_ = std::min(engine.played_, r.now);
  r.last = r.state;
  engine.hear(false);
  if (r.steps == 0) return;
  moved = true;
  const auto& end = r.states[static_cast<std::size_t>(r.state)];
  const auto started = [](std::size_t under_way, bool in_part) { return under_way - (in_part ? 1 : 0); };
  std::vector<std::size_t> gone(r.flows.size());  // runs that are to leave the queue
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    const auto& flow = r.flows[f];
    gone[f] = flow.delivered - started(flow.under_way.size(), flow.begun);
  }
  r.restored.resize(r.flows.size());
  for (const auto& begun : end.begun) {
    auto& restored = r.restored[begun.flow];
    const auto& flow = r.flows[begun.flow];
    restored.clear();
    for (std::size_t i = 0; i < begun.under_way; ++i) {
      restored.push_back(flow[flow.delivered + i]);
      engine.records_[restored.back()].serial = ++engine.serial_;
    }
    gone[begun.flow] += started(begun.under_way, begun.in_part);
  }
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    auto& flow = r.flows[f];
    for (; gone[f] > 0; --gone[f]) flow.queue->runs.pop();
    flow.queue->ingress->posted_out += flow.posted;
  }
  for (const std::uint32_t index : r.over) engine.records_.give(index);
  engine.forget_steady_reads();
  engine.restore_state(end.numbers, r.now);
}

/// What a gate has said about the first TLPs of a run before they came.
TlpRun Engine::foreseen(Transmitter& x, TlpRun rest) {
  Transmitter::Foreseen& known = x.foreseen.front();
  const auto count = static_cast<std::int32_t>(std::min<std::int64_t>(rest.count, known.count));
  if (count < rest.count && rest.per > 0) {
    TlpRun last = rest;
    go_ahead(last, count - 1);
    rest.tail = last.answered;
  }
  rest.count = count;
  rest.e += known.delay;
  if (count == 1) rest.slope = 0;
  known.count -= count;
  recurrence_.in_hand[static_cast<std::size_t>(x.index)] -= count;
  if (known.count == 0) x.foreseen.pop();
  return rest;
}

}  // namespace peerpath::fabric
