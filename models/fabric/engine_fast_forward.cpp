// When a state of the whole domain comes again, what followed from it does too: it is booked step by step without being
// played, in one `advance` after the other, and the state is made only when something else comes.

#include <algorithm>
#include <utility>

#include "fabric/fast_forward.hpp"

namespace peerpath::fabric {

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

}  // namespace peerpath::fabric
