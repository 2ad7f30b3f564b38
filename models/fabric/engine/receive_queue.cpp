// Endpoints that have one receive queue for requests and completions.

#include <algorithm>

#include "fabric/engine/receiver.hpp"

namespace peerpath::fabric::engine {

void Receiver::hold(Transmitter& x, int tlp_class, const TlpRun& run) {
  EndpointState& own = *x.peer->endpoint;
  for (std::int32_t i = 0; i < run.count; ++i) {
    TlpRun one = run;
    queues_.go_ahead(one, i);
    one.count = 1;
    one.slope = 0;
    one.tail = one.answered;
    own.queue.held.push({tlp_class, one});
  }
  pass_held(own);
}

/// Lets waiting TLPs go on, as far as is known which completions will have left.
void Receiver::pass_held(EndpointState& own) {
  ReceiveQueue& queue = own.queue;
  Transmitter& x = *own.out->reverse;
  while (!queue.held.empty()) {
    auto [tlp_class, run] = queue.held.front();
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
    if (x.unknown) s_.touch(x);  // it may wait for the credits
    if (request) {
      take_in_request(x, own, run, when, run.address);
    } else {
      run.e = when;
      receive_completions(x, run);
    }
  }
}

/// How many completions the endpoint will make of a request.
std::int64_t Receiver::completions_for(const EndpointState& own, const TlpRun& run) const {
  const Transaction& asked = s_.records[run.record].asked;
  if (asked.answer == pcie::Status::no_answer) return 0;  // external targets have none such
  const auto status = asked.target == own.node->id ? asked.answer : own.config.misdirected;
  return pcie::split_completion(own.rules, asked.op, status, run.address, Bytes{run.step}).pieces();
}

[[gnu::noinline]] void Receiver::note_left(const Fifo& fifo, EndpointState& own, const Departure& departure) {
  if (own.config.one_queue == 0 || fifo.tlp_class != static_cast<int>(pcie::TlpClass::completion)) return;
  for (std::int32_t i = 0; i < departure.count; ++i)
    own.queue.answers_left.push(departure.first + i * departure.spacing + departure.serialisation);
  pass_held(own);
}

}  // namespace peerpath::fabric::engine
