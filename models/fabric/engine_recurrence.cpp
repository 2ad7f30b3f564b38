// The state of a whole domain as numbers: all that what is to come depends on, with times from the moment on, and back.

#include <algorithm>
#include <bit>
#include <utility>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

namespace {

constexpr std::size_t most_met = 128;  ///< runs under way or ready: of more, no state is looked at

/// How a mark refers to the posted TLPs that have not left: 0 if it does not.
std::int64_t mark_code(std::int64_t mark, std::int64_t posted_out) {
  return mark > 0 && mark >= posted_out ? mark - posted_out + 1 : 0;
}

/// What lies before this makes no difference to the first of a queue.
Femto floor_of(const Queue& fifo, Femto now) { return fifo.runs.empty() ? now : std::min(now, fifo.runs.front().e); }

}  // namespace

/// The number of the kind of a transaction: those of one kind are cut alike, and so are their completions.
std::size_t Engine::kind_of(const Record& record) {
  auto& kinds = recurrence_.kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (recurrence::same_kind(kinds[i], record)) return i;
  const auto most = static_cast<std::uint64_t>(leaf(record.asked.target).rules.max_completion.count());
  const bool posted = pcie::request_class(record.asked.op) == pcie::TlpClass::posted;
  if (kinds.size() > Recurrence::most_kinds || (!posted && !std::has_single_bit(most))) {
    recurrence_.failed = true;
    return 0;
  }
  kinds.push_back(record);
  return kinds.size() - 1;
}

/// Finds the transactions under way, by flow in the order in which they started, and those that wait and are ready at
/// `edge`.
void Engine::gather_flows(Femto edge) {
  Recurrence& r = recurrence_;
  ++r.round;
  r.met_in.resize(records_.size());
  r.place_of.resize(records_.size());
  for (auto& flow : r.flows) {
    flow.under_way.clear();
    flow.begun = false;
  }
  const auto meet = [&](std::uint32_t index) {
    if (r.met_in[index] == r.round) return;
    r.met_in[index] = r.round;
    const Record& record = records_[index];
    auto& under_way = r.flows[flow_of(record)].under_way;
    std::size_t at = under_way.size();
    under_way.push_back(index);
    for (; at > 0 && records_[under_way[at - 1]].serial > record.serial; --at) under_way[at] = under_way[at - 1];
    under_way[at] = index;
  };
  std::size_t met = 0;
  for (const Queue& fifo : queues_) met += fifo.flow == nobody ? fifo.runs.size() : 0;
  if (met > most_met) {
    r.failed = true;
    return;
  }
  for (const Queue& fifo : queues_) {
    if (fifo.runs.empty()) continue;
    if (fifo.flow == nobody) {
      for (std::size_t i = 0; i < fifo.runs.size(); ++i) meet(fifo.runs[i].record);
      continue;
    }
    const TlpRun& run = fifo.runs.front();
    const Record& record = records_[run.record];
    r.flows[fifo.flow].begun = run.address != record.asked.address;
    if (r.flows[fifo.flow].begun) meet(run.record);
  }
  r.active.clear();
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    auto& flow = r.flows[f];
    for (std::size_t i = 0; i < flow.under_way.size(); ++i)
      r.place_of[flow.under_way[i]] = static_cast<std::uint32_t>(f << 16 | i);
    const auto& runs = flow.queue->runs;
    flow.ripe = flow.begun ? 1 : 0;
    for (; flow.ripe < runs.size() && runs[flow.ripe].e <= edge && met <= most_met; ++met) ++flow.ripe;
    if (!runs.empty() || !flow.under_way.empty()) r.active.push_back(static_cast<std::uint32_t>(f));
    flow.next = flow.ripe;
    flow.delivered = 0;
    flow.posted = 0;
    if (flow.begun && flow.under_way.back() != runs.front().record) r.failed = true;
  }
  r.failed = r.failed || met > most_met;
}

template <class Archive>
void Engine::archive_place(Archive& a, std::uint32_t& record) {
  if constexpr (Archive::restores) {
    std::uint32_t place = 0;
    a.number(place);
    record = recurrence_.restored[place >> 16][place & 0xffff];
  } else {
    a.number(recurrence_.place_of[record]);
  }
}

template <class Archive>
void Engine::archive_answer(Archive& a, std::uint32_t& answer) {
  auto& met = recurrence_.answers;
  if constexpr (Archive::restores) {
    std::size_t number = 0;
    a.number(number);
    while (met.size() < number) met.push_back(answers_.take());
    answer = number == 0 ? nobody : met[number - 1];
  } else {
    const auto known = std::ranges::find(met, answer);
    std::size_t number = static_cast<std::size_t>(known - met.begin()) + 1;
    if (answer == nobody)
      number = 0;
    else if (known == met.end())
      met.push_back(answer);
    a.number(number);
  }
}

template <class Archive>
void Engine::archive_run(Archive& a, TlpRun& run, const Queue& fifo) {
  archive_place(a, run.record);
  if (run.count == 1) run.slope = 0;
  a.time(run.e);
  a.number(run.slope);
  a.number(run.count);
  a.number(run.step);
  std::uint64_t shape = run.shape(), address = run.address - records_[run.record].asked.address;
  std::int64_t mark = mark_code(run.mark, fifo.ingress->posted_out);
  a.number(shape);
  a.number(address);
  a.number(mark);
  if constexpr (Archive::restores) {
    static_cast<TlpShape&>(run) = TlpShape::of(shape);
    run.address = records_[run.record].asked.address + address;
    run.mark = mark == 0 ? 0 : mark + fifo.ingress->posted_out - 1;
    run.per = run.offset = 0;
  }
  if (fifo.tlp_class != static_cast<int>(pcie::TlpClass::completion)) return;
  a.number(run.per);
  a.number(run.offset);
  archive_answer(a, run.answered);
  if (run.per == 0) {
    run.tail = run.answered;
    return;
  }
  if constexpr (Archive::restores) {
    archive_answer(a, run.tail);
  } else {
    for (std::uint32_t answer = run.answered; answer != run.tail;) {
      answer = answers_[answer].next;
      std::size_t before = recurrence_.answers.size();
      if (answer == nobody || before > 64) {
        recurrence_.failed = true;
        return;
      }
      if (std::ranges::find(recurrence_.answers, answer) == recurrence_.answers.end())
        recurrence_.answers.push_back(answer);
    }
    archive_answer(a, run.tail);
  }
}

/// From when the first of a queue is eligible, unless it waits for posted TLPs.
template <class Archive>
void Engine::archive_head(Archive& a, NodeState& node, Queue& fifo) {
  bool blocked = (node.blocked & fifo.bit) != 0;
  a.number(blocked);
  if (!blocked) a.time(fifo.head);
  if constexpr (Archive::restores) {
    if (blocked)
      node.blocked |= fifo.bit;
    else
      transmitters_[fifo.runs.front().out].candidates |= fifo.bit;
  }
}

template <class Archive>
void Engine::archive_transmitter(Archive& a, Transmitter& x) {
  if constexpr (!Archive::restores) {
    if (!x.up || x.error_prone) {
      recurrence_.failed = true;
      return;
    }
  }
  a.time(x.free, std::min(a.now(), x.ready_since));
  a.number(x.next_slot);
  a.number(x.holder);
  a.number(x.taken);
  a.number(x.stalling);
  a.time(x.next_ack, a.now());
  a.time(x.next_fc, a.now());
  x.due.archive(a);
  for (std::size_t c = 0; c < pcie::tlp_classes; ++c) x.credit[c].archive(a);
}

/// The three queues of a router's port, or the completions that an endpoint sends.
template <class Archive>
void Engine::archive_ingress(Archive& a, NodeState& node, Queue* queues) {
  Ingress& in = *queues->ingress;
  bool idle = in.posted_left <= a.now();
  Femto first = a.now();
  for (int c = 0; c < 3; ++c) {
    idle = idle && queues[c].runs.empty() && queues[c].left <= a.now();
    if (c > 0) first = std::min(first, floor_of(queues[c], a.now()));
  }
  a.number(idle);
  a.number(in.marked);
  if (idle) {
    if constexpr (Archive::restores) {
      in.posted_out = in.posted_in;
      in.posted_left = a.now();
      for (int c = 0; c < 3; ++c) {
        queues[c].runs.clear();
        queues[c].left = a.now();
      }
    }
    return;
  }
  a.time(in.posted_left, first);
  for (std::int64_t& by : in.posted_by) {
    std::int64_t behind = std::max<std::int64_t>(by - in.posted_out, -1);
    a.number(behind);
    by = in.posted_out + behind;
  }
  for (int c = 0; c < 3; ++c) {
    a.time(queues[c].left, floor_of(queues[c], a.now()));
    a.ring(queues[c].runs, [&](TlpRun& run) { archive_run(a, run, queues[c]); });
    if (!queues[c].runs.empty()) archive_head(a, node, queues[c]);
  }
  if constexpr (Archive::restores) {
    in.posted_in = in.posted_out;
    for (std::size_t i = 0; i < queues[0].runs.size(); ++i) in.posted_in += queues[0].runs[i].count;
  }
}

/// What of a flow has begun.
template <class Archive>
void Engine::archive_flow(Archive& a, recurrence::Flow& flow) {
  Queue& fifo = *flow.queue;
  a.number(flow.begun);
  if (flow.begun) archive_run(a, fifo.runs.front(), fifo);
  bool ready = flow.ripe > 0;
  a.number(ready);
  if (ready) archive_head(a, *flow.node, fifo);
  a.time(fifo.left, floor_of(fifo, a.now()));
  if (fifo.tlp_class == static_cast<int>(pcie::TlpClass::posted))
    a.time(fifo.ingress->posted_left, floor_of((&fifo)[1], a.now()));
  std::size_t under_way = flow.under_way.size();
  a.number(under_way);
  for (std::size_t i = 0; i < under_way; ++i) {
    std::uint32_t index = 0;
    if constexpr (Archive::restores)
      index = recurrence_.restored[static_cast<std::size_t>(&flow - recurrence_.flows.data())][i];
    else
      index = flow.under_way[i];
    Record& record = records_[index];
    if constexpr (!Archive::restores) {
      a.number(kind_of(record));
      if (record.lost != 0 || record.status != pcie::Status::success) recurrence_.failed = true;
    } else {
      std::size_t kind = 0;
      a.number(kind);
    }
    a.number(record.open);
    a.time(record.done, a.now());
  }
}

template <class Archive>
void Engine::archive_leaf(Archive& a, Leaf& leaf) {
  for (std::size_t c = 0; c < pcie::tlp_classes; ++c) a.time(leaf.taken_in[c], a.now());
  a.time(leaf.read_free, a.now());
  a.number(leaf.tags);
  a.ring(leaf.tag_returns, [&](Femto& at) { a.time(at); });
  archive_answer(a, leaf.last_answer);
  if constexpr (!Archive::restores)
    if (leaf.timeouts) recurrence_.failed = true;
}

template <class Archive>
void Engine::archive_all(Archive& a) {
  for (Transmitter& x : transmitters_) archive_transmitter(a, x);
  for (auto& flow : recurrence_.flows) archive_flow(a, flow);
  for (NodeState& node : nodes_) {
    if (node.leaf == nullptr) a.number(node.mixed);
    for (int i = 0; i < (node.leaf == nullptr ? node.ingresses : 1); ++i) archive_ingress(a, node, node.queues + 3 * i);
  }
  for (Leaf& leaf : leaves_) archive_leaf(a, leaf);
  std::size_t met = recurrence_.answers.size();
  a.number(met);
  for (std::size_t i = 0; i < met; ++i) {
    if constexpr (Archive::restores)
      if (i == recurrence_.answers.size()) recurrence_.answers.push_back(answers_.take());
    Answer& answer = answers_[recurrence_.answers[i]];
    if constexpr (Archive::restores)
      answer = {};
    else if (answer.lost || !answer.missing.empty() || answer.entered != 0)
      recurrence_.failed = true;
    archive_place(a, answer.record);
    const std::uint64_t base = records_[answer.record].asked.address;
    std::uint64_t address = answer.address - base;
    std::int64_t bytes = answer.bytes.count();
    a.number(answer.open);
    a.number(answer.status);
    a.number(address);
    a.number(bytes);
    a.number(answer.each);
    answer.address = base + address;
    answer.bytes = Bytes{bytes};
    a.time(answer.done, a.now());
    archive_answer(a, answer.next);
  }
  // What follows an answer is under way, too.
  if (recurrence_.answers.size() != met) recurrence_.failed = true;
}

/// Describes the state in which the next transaction is about to start on `x`. False if this is of no use.
bool Engine::describe_state(const Transmitter& x) {
  Recurrence& r = recurrence_;
  const Femto now = x.decision;
  r.failed = false;
  r.numbers.clear();
  r.answers.clear();
  r.ahead = 0;
  for (Transmitter& y : transmitters_) {
    if (y.up) send_dllps(y, now - 1);
    r.ahead = std::max(r.ahead, y.free - now);
  }
  gather_flows(now + r.ahead);
  if (r.failed) return false;
  StateWriter a{r.numbers, now};
  a.number(x.index);
  archive_all(a);
  for (auto& flow : r.flows) {
    a.number(flow.ripe);
    for (std::size_t i = flow.begun ? 1 : 0; i < flow.ripe; ++i) {
      const recurrence::Coming next = coming_in(flow, i, now, flow.queue->ingress->posted_out);
      for (const auto number :
           {std::int64_t{next.kind}, next.e, static_cast<std::int64_t>(next.shape), next.count_and_step, next.mark})
        a.number(number);
    }
  }
  return !r.failed;
}

/// A run that waits in a flow, as it is seen at `now`, after so many posted TLPs have left.
recurrence::Coming Engine::coming_in(const recurrence::Flow& flow, std::size_t i, Femto now, std::int64_t posted_out) {
  const TlpRun& run = flow.queue->runs[i];
  const Record& record = records_[run.record];
  if (run.slope != 0 || run.address != record.asked.address ||
      std::int64_t{run.count} * run.step != record.asked.bytes.count())
    recurrence_.failed = true;
  return {flow.queue->flow, static_cast<std::uint32_t>(kind_of(record)), run.e - now,
          run.shape(),      run.count | std::int64_t{run.step} << 32,    mark_code(run.mark, posted_out)};
}

/// Makes the state of the domain that which `numbers` describe, at `now`.
void Engine::restore_state(const std::vector<std::int64_t>& numbers, Femto now) {
  Recurrence& r = recurrence_;
  for (const std::uint32_t answer : r.answers) answers_.give(answer);
  r.answers.clear();
  for (Transmitter& x : transmitters_) {
    x.candidates = 0;
    touch(x);
  }
  for (NodeState& node : nodes_) node.blocked = 0;
  StateReader a{numbers, now};
  int index = 0;
  a.number(index);
  archive_all(a);
  for (auto& flow : r.flows)
    if (const Queue& fifo = *flow.queue;
        !fifo.runs.empty() && ((flow.node->blocked | flow.node->leaf->out->candidates) & fifo.bit) == 0)
      refresh_head(*flow.node, *flow.queue);
  settle();
}

}  // namespace peerpath::fabric
