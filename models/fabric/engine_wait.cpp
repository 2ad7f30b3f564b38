// Endpoints with one receive queue, and what each queue of the fabric waits for.

#include <algorithm>
#include <bit>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

/// Requests and completions that arrive at an endpoint with one receive queue.
void Engine::hold(Transmitter& x, int tlp_class, const TlpRun& run, Femto first, Femto spacing, std::int32_t count) {
  Leaf& own = *x.peer->leaf;
  for (std::int32_t i = 0; i < count; ++i) {
    TlpRun one = run;
    go_ahead(one, i);
    one.count = 1;
    one.e = first + i * spacing;
    one.slope = 0;
    one.tail = one.answered;
    own.queue.held.push({tlp_class, one});
  }
  pass_held(own);
}

/// Lets what waits go on, as far as is known which completions will have left.
void Engine::pass_held(Leaf& own) {
  ReceiveQueue& queue = own.queue;
  Transmitter& x = *own.out->reverse;
  while (!queue.held.empty()) {
    const auto [tlp_class, run] = queue.held.front();
    Femto when = std::max(run.e, queue.passed);
    const bool request = tlp_class == static_cast<int>(pcie::TlpClass::non_posted);
    if (request) {
      std::int64_t needed = queue.answers_due - own.config.one_queue + 1 - queue.answers_gone;
      if (needed > static_cast<std::int64_t>(queue.answers_left.size())) return;
      for (; needed > 1; --needed, ++queue.answers_gone) queue.answers_left.pop();
      if (needed == 1) when = std::max(when, queue.answers_left.front());
      queue.answers_due += completions_for(own, run);
    }
    queue.held.pop();
    queue.passed = when;
    if (x.unknown) touch(x);  // it may wait for the credits
    if (request)
      take_in_request(x, own, run, when, run.address);
    else
      receive_completions(x, run, when, 0, 1);
  }
}

/// How many completions the endpoint will make of a request.
std::int64_t Engine::completions_for(const Leaf& own, const TlpRun& run) const {
  const Transaction& asked = records_[run.record].asked;
  if (asked.answer == pcie::Status::no_answer) return 0;  // external targets have none such
  const auto status = asked.target.value() == own.node->number ? asked.answer : own.config.misdirected;
  return pcie::split_completion(own.rules, asked.op, status, run.address, Bytes{run.step}).pieces();
}

/// Completions have left an endpoint: with one receive queue that may have waited for them.
void Engine::note_left(const Queue& fifo, Leaf& own, const Departure& departure) {
  if (own.config.one_queue == 0 || fifo.tlp_class != static_cast<int>(pcie::TlpClass::completion)) return;
  for (std::int32_t i = 0; i < departure.count; ++i)
    own.queue.answers_left.push(departure.first + i * departure.spacing + departure.serialisation);
  pass_held(own);
}

Waiting Engine::waiting_in(const NodeState& node, const Queue& fifo) const {
  const TlpRun& head = fifo.runs.front();
  const Transmitter& x = transmitters_[head.out];
  const CreditLoop& credit = x.credit[pool(x, fifo.tlp_class, head)];
  WaitFor why = WaitFor::time;
  if (head.mark > fifo.ingress->posted_out)
    why = WaitFor::ordering;
  else if (!x.up)
    why = WaitFor::link;
  else if (fifo.takes_tags && node.leaf->tag_at() == unknown_time)
    why = WaitFor::tag;
  else if (credit.covered_at(head.units) == unknown_time)
    why = WaitFor::credits;
  const Record& record = records_[head.record];
  return {NodeId{static_cast<std::uint16_t>(node.number)},
          fifo.slot / 3,
          static_cast<pcie::TlpClass>(fifo.tlp_class),
          why,
          LinkId{static_cast<std::uint16_t>(x.index / 2)},
          x.index % 2,
          record.requester,
          record.asked.target,
          record.asked.cookie,
          head.address,
          x.channel(record.asked)};
}

std::vector<Waiting> Engine::waiting() const {
  const_cast<Engine*>(this)->catch_up();
  std::vector<Waiting> all;
  for (const NodeState& node : nodes_) {
    for (int slot = 0; slot < node.ingresses * 3; ++slot)
      if (!node.queues[slot].runs.empty()) all.push_back(waiting_in(node, node.queues[slot]));
    if (node.leaf == nullptr || node.leaf->queue.held.empty()) continue;
    const auto& [tlp_class, run] = node.leaf->queue.held.front();
    const Record& record = records_[run.record];
    const int by = node.leaf->out->index ^ 1;
    all.push_back({NodeId{static_cast<std::uint16_t>(node.number)}, Waiting::received,
                   static_cast<pcie::TlpClass>(tlp_class), WaitFor::room, LinkId{static_cast<std::uint16_t>(by / 2)},
                   by % 2, record.requester, record.asked.target, record.asked.cookie, run.address});
  }
  return all;
}

}  // namespace peerpath::fabric
