// What follows from a state of the domain until the next transaction starts at the endpoint that is looked at: what is
// delivered and counted, what the gates are asked, and which state comes then.

#include <algorithm>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

namespace {

constexpr std::size_t most_states = 64, looked_ahead = 8;

std::uint64_t hash_of(const std::vector<std::int64_t>& numbers) {
  std::uint64_t hash = numbers.size();
  for (const std::int64_t number : numbers)
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15u + (hash >> 32);
  return hash;
}

}  // namespace

/// The number of the state described; a new one if it is not known.
int Engine::find_state(int expected) {
  Recurrence& r = recurrence_;
  if (expected >= 0 && r.states[static_cast<std::size_t>(expected)].numbers == r.numbers) return expected;
  const std::uint64_t hash = hash_of(r.numbers);
  for (std::size_t i = 0; i < r.states.size(); ++i)
    if (r.states[i].hash == hash && r.states[i].numbers == r.numbers) return static_cast<int>(i);
  r.budget.spend(3);
  if (r.states.size() == most_states) {
    const std::vector<Record> kinds = std::move(r.kinds);
    forget_recurrence();
    r.kinds = kinds;
  }
  recurrence::State& fresh = r.states.emplace_back();
  fresh.hash = hash;
  fresh.numbers = r.numbers;
  fresh.ahead = r.ahead;
  for (std::uint32_t f = 0; f < r.flows.size(); ++f)
    if (const auto& flow = r.flows[f]; !flow.under_way.empty())
      fresh.begun.push_back({f, static_cast<std::uint32_t>(flow.under_way.size()), flow.begun});
  return static_cast<int>(r.states.size() - 1);
}

/// Notes all that is needed to tell what follows from the state of now.
void Engine::begin_step(Femto now) {
  Recurrence& r = recurrence_;
  r.at = now;
  r.epoch = reached_;
  r.asked.clear();
  r.listener.heard.clear();
  r.sequence.resize(r.flows.size());
  r.coming.resize(r.flows.size());
  r.posted_out.resize(r.flows.size());
  r.under_way.resize(r.flows.size());
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    const auto& flow = r.flows[f];
    const std::size_t seen = std::min(flow.queue->runs.size(), flow.ripe + looked_ahead);
    r.sequence[f] = flow.under_way;
    r.under_way[f] = flow.under_way.size();
    for (std::size_t i = flow.begun ? 1 : 0; i < seen; ++i) r.sequence[f].push_back(flow.queue->runs[i].record);
    r.posted_out[f] = flow.queue->ingress->posted_out;
    r.coming[f].clear();
    for (std::size_t i = flow.ripe; i < seen; ++i) r.coming[f].push_back(coming_in(flow, i, now, r.posted_out[f]));
  }
  r.books.resize(transmitters_.size());
  for (std::size_t i = 0; i < transmitters_.size(); ++i) {
    const Transmitter& x = transmitters_[i];
    r.books[i] = {x.dllps, x.busy, x.queueing, x.credit_stall, x.tallies};
  }
  r.expected.clear();
  for (const Leaf& leaf : leaves_)
    r.expected.push_back({0, leaf.inbound, leaf.requests_coming, static_cast<std::int64_t>(leaf.requests)});
  hear(!r.failed);
}

/// Learns what has followed from the last state up to this one.
void Engine::end_step(int state, Femto now) {
  Recurrence& r = recurrence_;
  hear(false);
  if (state < 0 || r.last < 0 || r.epoch != reached_) return;
  recurrence::Step step;
  if (!learn(step, now)) return;
  step.to = state;
  r.states[static_cast<std::size_t>(r.last)].step = std::move(step);
}

bool Engine::learn(recurrence::Step& step, Femto now) {
  step.span = now - recurrence_.at;
  if (!learn_told(step) || !learn_flows(step) || !learn_questions(step)) return false;
  learn_books(step);
  return true;
}

/// What has been delivered, if each flow was in the order in which it started.
bool Engine::learn_told(recurrence::Step& step) {
  Recurrence& r = recurrence_;
  if (r.listener.heard.size() >= recurrence::Listener::most) return false;
  std::vector<std::uint32_t> delivered(r.flows.size());
  for (const Delivery& d : r.listener.heard) {
    const std::uint32_t flow = flow_of(d.requester, d.channel, d.op);
    const std::uint32_t rank = delivered[flow]++;
    if (rank >= r.sequence[flow].size()) return false;
    const Transaction& asked = records_[r.sequence[flow][rank]].asked;
    if (d.status != pcie::Status::success || d.op != asked.op || d.target != asked.target || d.bytes != asked.bytes ||
        d.cookie != asked.cookie || d.address != asked.address || d.ready != asked.ready)
      return false;
    step.told.push_back({{flow, rank}, femtoseconds(d.done) - r.at});
  }
  for (std::uint32_t f = 0; f < r.flows.size(); ++f) {
    const auto& flow = r.flows[f];
    const std::int64_t out = flow.queue->tlp_class == 0 ? flow.queue->ingress->posted_out - r.posted_out[f] : 0;
    if (delivered[f] > 0 || out > 0) step.progress.push_back({f, delivered[f], out});
    // What is under way now follows on that, and nothing is missing: what an external endpoint has yet to answer is
    // nowhere to be seen.
    if (delivered[f] + flow.under_way.size() < r.under_way[f]) return false;
    for (std::size_t i = 0; i < flow.under_way.size(); ++i)
      if (delivered[f] + i >= r.sequence[f].size() || r.sequence[f][delivered[f] + i] != flow.under_way[i])
        return false;
  }
  return true;
}

/// What has become ready, if nothing has started earlier than that.
bool Engine::learn_flows(recurrence::Step& step) {
  Recurrence& r = recurrence_;
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    std::size_t ready = 0;
    for (const auto& next : r.coming[f]) {
      if (next.e > step.span + r.ahead) break;
      step.coming.push_back(next);
      ++ready;
    }
    if (ready == looked_ahead) return false;  // there may be more
    const auto& flow = r.flows[f];
    const std::size_t gone = r.sequence[f].size() - r.coming[f].size() + ready;  // at most, by then
    std::uint32_t delivered = 0;
    for (const auto& progress : step.progress)
      if (progress.flow == f) delivered = progress.delivered;
    if (delivered + flow.under_way.size() > gone) return false;
  }
  return true;
}

void Engine::learn_books(recurrence::Step& step) {
  Recurrence& r = recurrence_;
  for (std::uint32_t i = 0; i < transmitters_.size(); ++i) {
    const Transmitter& x = transmitters_[i];
    const auto& before = r.books[i];
    if (x.dllps != before.dllps || x.busy != before.busy || x.queueing != before.queueing ||
        x.credit_stall != before.credit_stall)
      step.booked.push_back({i, x.dllps - before.dllps, x.busy - before.busy, x.queueing - before.queueing,
                             x.credit_stall - before.credit_stall});
    for (std::uint32_t t = 0; t < x.tallies.size(); ++t)
      if (const Tally& now = x.tallies[t], &then = before.tallies[t]; now.tlps != then.tlps)
        step.counted.push_back(
            {i, t, now.tlps - then.tlps, (now.payload - then.payload).count(), (now.overhead - then.overhead).count()});
  }
  for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
    const Leaf& leaf = leaves_[i];
    const auto& then = r.expected[i];
    const recurrence::Expected more{i, leaf.inbound - then.inbound, leaf.requests_coming - then.requests_coming,
                                    static_cast<std::int64_t>(leaf.requests) - then.requests};
    if (more.inbound != 0 || more.requests_coming != 0 || more.requests != 0) step.expected.push_back(more);
  }
}

void Engine::note_question(const Transmitter& x, int tlp_class, const TlpRun& asked, const TlpRun& passed) {
  const Femto sent = x.serialisation[asked.dw];
  const Femto lag =
      x.propagation +
      (x.peer->leaf != nullptr
           ? sent
           : x.peer->latency + std::max<Femto>(0, sent - transmitters_[asked.out].serialisation[asked.dw]));
  recurrence::Question q;
  q.transmitter = x.index;
  q.tlp_class = tlp_class;
  q.offset = asked.address - records_[asked.record].asked.address;
  q.step = asked.step;
  q.count = passed.count;
  q.delay = passed.e - asked.e;
  q.at = asked.e - recurrence_.at;
  q.slope = passed.count == 1 ? 0 : asked.slope;
  q.start = q.at - lag;
  recurrence_.asked.push_back({asked.record, q});
}

/// What the gates have been asked.
bool Engine::learn_questions(recurrence::Step& step) {
  for (const auto& [record, question] : recurrence_.asked) {
    const std::uint32_t flow = flow_of(records_[record]);
    const auto& sequence = recurrence_.sequence[flow];
    const auto at = std::ranges::find(sequence, record);
    if (at == sequence.end()) return false;
    step.questions.push_back(question);
    step.questions.back().place = {flow, static_cast<std::uint32_t>(at - sequence.begin())};
    learn_alike(step, static_cast<std::uint32_t>(step.questions.size() - 1));
  }
  for (auto& gate : step.gates) {
    std::ranges::stable_sort(gate.all, {}, &recurrence::Questions::last_start);
    for (const auto& all : gate.all) {
      const Record& record = records_[recurrence_.sequence[all.place.flow][all.place.rank]];
      gate.asked.push_back(
          {recurrence::tlp_of(all, record), Duration{all.last_at - all.at}, all.count, Duration{all.delay}});
      step.first_start = std::min(step.first_start, all.start);
    }
  }
  return true;
}

/// Puts the last question to those about the same transaction that it continues.
void Engine::learn_alike(recurrence::Step& step, std::uint32_t number) {
  const recurrence::Question& q = step.questions[number];
  auto gate = std::ranges::find(step.gates, q.transmitter, &recurrence::AskedGate::transmitter);
  if (gate == step.gates.end()) gate = step.gates.insert(gate, {q.transmitter, 0, {}, {}});
  auto group = std::ranges::find_if(gate->all, [&](const recurrence::Questions& all) {
    return all.tlp_class == q.tlp_class && all.place == q.place && all.step == q.step && all.delay == q.delay &&
           all.offset + static_cast<std::uint64_t>(all.count) * static_cast<std::uint64_t>(all.step) == q.offset;
  });
  if (group == gate->all.end()) {
    group = gate->all.insert(group, {q, {}, q.at, 0, q.start, 0});
    group->count = 0;
  }
  const Femto span = (q.count - 1) * q.slope;
  gate->tlps += q.count;
  group->parts.push_back(number);
  group->count += q.count;
  group->last_at = q.at + span;
  group->last_start = q.start + span;
}

}  // namespace peerpath::fabric
