// The receiving half of the event-driven reference: DLLPs, servers of endpoints, completions, deliveries.
#include <algorithm>

#include "fabric/reference/event_reference.hpp"
#include "fabric/vocabulary/worse_status.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::fabric {

using pcie::TlpClass;
using reference::Job;
using reference::Server;

// TLPs arrive in the order in which they start, so what an arrival will cause is known at the start.

void EventReference::arrive(Station& s, NodeId node, Tlp* tlp, Instant arrival) {
  if (s.node->endpoint.one_queue == 0 || tlp->tlp_class == TlpClass::posted) return serve(s, node, tlp, arrival);
  s.held.push_back({tlp, arrival});
  pass_held(s, node);
}

/// Lets what waits in the one receive queue go on, as far as is known which completions will have left.
void EventReference::pass_held(Station& s, NodeId node) {
  while (!s.held.empty()) {
    const auto [tlp, arrival] = s.held.front();
    Instant when = std::max(arrival, s.passed);
    if (tlp->tlp_class == TlpClass::non_posted) {
      const std::int64_t needed = s.answers_due - s.node->endpoint.one_queue + 1 - s.answers_gone;
      if (needed > static_cast<std::int64_t>(s.answers_left.size())) return;
      if (needed > 0) {
        when = std::max(when, s.answers_left[static_cast<std::size_t>(needed - 1)]);
        s.answers_left.erase(s.answers_left.begin(), s.answers_left.begin() + needed - 1);
        s.answers_gone += needed - 1;
      }
      s.answers_due += completions_for(s, node, *tlp);
    }
    s.held.pop_front();
    s.passed = when;
    serve(s, node, tlp, when);
  }
}

/// How many completions the endpoint will make of a request.
std::int64_t EventReference::completions_for(const Station& s, NodeId node, const Tlp& request) const {
  const Transaction& asked = request.job->transaction;
  const bool timed = !stations_[asked.target.value()].node->endpoint.external;
  if (timed && asked.answer == pcie::Status::no_answer) return 0;
  const auto status = request.destination == node ? asked.answer : s.node->endpoint.misdirected;
  return pcie::split_completion(s.rules, asked.op, status, request.piece.address, request.piece.bytes).pieces();
}

void EventReference::serve(Station& s, NodeId node, Tlp* tlp, Instant arrival) {
  Server& server = s.servers[tlp->pool];
  server.last_done = std::max(arrival, server.last_done) + server.service[static_cast<std::size_t>(tlp->piece.data_dw)];
  server.tlps.push_back(tlp);
  schedule(server.last_done, EventKind::taken_in, node.value(), tlp->pool);
}

void EventReference::cause_dllps(Transmitter& t, Instant arrival) {
  const auto cause = [&](Duration interval, Instant& next) {
    if (interval == Duration{0} || arrival < next) return;
    next = arrival + interval;
    schedule(arrival, EventKind::dllp_due, t.opposite);
  };
  cause(t.direction->ack_interval, t.next_ack);
  cause(t.direction->fc_interval, t.next_fc);
}

void EventReference::take_in(NodeId node, std::uint8_t pool) {
  Server& server = station(node).servers[pool];
  Tlp* tlp = server.tlps.front();
  server.tlps.pop_front();
  schedule(now_ + transmitter(tlp->came_by).direction->update_fc, EventKind::credit, tlp->came_by, pool,
           tlp->piece.units);
  Job* job = tlp->job;
  switch (tlp->tlp_class) {
    case TlpClass::posted:
      if (tlp->destination != node) job->status = worse(job->status, station(node).node->endpoint.misdirected);
      if (--job->unfinished == 0) deliver(DeliveryKind::arrived, *job, nullptr, {});
      break;
    case TlpClass::non_posted:
      take_in_request(node, tlp);
      break;
    case TlpClass::completion:
      take_in_completion(node, tlp);
      break;
  }
  tlps_.give_back(tlp);
  drop_user(job);
}

void EventReference::take_in_request(NodeId node, Tlp* tlp) {
  Station& s = station(node);
  const Endpoint& endpoint = s.node->endpoint;
  const Job& job = *tlp->job;
  const std::size_t vc = tlp->channel();
  if (tlp->destination != node) {
    ++s.requests[vc];
    const bool timed = !station(tlp->destination).node->endpoint.external;
    if (timed && job.transaction.answer == pcie::Status::no_answer) return;  // the requester's timer runs
    return answer(node, tlp->request, endpoint.misdirected, now_ + endpoint.read_latency, true);
  }
  if (endpoint.external) {
    const RequestId id{++next_request_};
    at_external_[id.value()] = tlp->request;
    return deliver(DeliveryKind::requested, job, tlp->request, id);
  }
  const std::uint64_t k = s.requests[vc]++ | std::uint64_t{vc} << 31;
  if (job.transaction.answer == pcie::Status::no_answer) return;  // the requester's timer runs
  std::uint64_t jitter = 0;
  if (endpoint.read_jitter > Duration{0}) {
    const std::uint64_t number = (std::uint64_t{node.value()} << 32) | k;
    jitter = mix(topology_.seed ^ mix(number)) % (static_cast<std::uint64_t>(endpoint.read_jitter.count()) + 1);
  }
  const Instant data_ready = now_ + endpoint.read_latency + Duration{static_cast<std::int64_t>(jitter)};
  answer(node, tlp->request, job.transaction.answer, data_ready, true);
}

/// Puts the completions of one request into channel 0 of its completer.
void EventReference::answer(NodeId completer, Request* request, pcie::Status status, Instant data_ready,
                            bool by_read_server) {
  Station& s = station(completer);
  Job* job = request->job;
  const Endpoint& endpoint = s.node->endpoint;
  const pcie::Operation op = job->transaction.op;
  const auto runs = pcie::split_completion(s.rules, op, status, request->piece.address, request->piece.bytes);
  request->completions = runs.pieces();
  const std::uint8_t vc = channel(transmitter(s.outgoing.front()), *job);
  Instant& read_server = s.read_servers[vc];
  Instant ready = by_read_server ? std::max(read_server, data_ready) : data_ready;
  for (const pcie::Run& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) {
      Tlp* tlp = tlps_.take({.job = job, .request = request, .piece = run[i], .tlp_class = TlpClass::completion});
      const bool has_data = tlp->piece.data_dw > 0;
      if (by_read_server && has_data && endpoint.read_rate > BitRate{}) ready += tlp->piece.bytes / endpoint.read_rate;
      tlp->status = status;
      tlp->destination = job->requester;
      tlp->kind = flaw_ == Flaw::routes               ? pcie::RouteKind::request
                  : job->transaction.relaxed_ordering ? pcie::RouteKind::relaxed_completion
                                                      : pcie::RouteKind::completion;
      tlp->earliest = ready;
      tlp->egress = s.outgoing.front();
      ++job->users;
      enter(completer, vc == 0 ? 0 : s.vc1_completions, tlp);
    }
  if (by_read_server) read_server = ready;
}

void EventReference::take_in_completion(NodeId node, Tlp* tlp) {
  Request* request = tlp->request;
  if (tlp->destination != node) request->lost = true;
  if (--request->completions > 0) return;
  if (request->lost)
    start_timer(tlp->destination, request);
  else
    answered(request, tlp->status);
}

/// A request is over, by its last completion or by the completion timeout: its tag is free.
void EventReference::answered(Request* request, pcie::Status status) {
  Job* job = request->job;
  Station& s = station(job->requester);
  ++s.tags;
  poke(s.outgoing.front());
  job->status = std::max(job->status, status);
  requests_.give_back(request);
  if (--job->unfinished == 0) deliver(DeliveryKind::completed, *job, nullptr, {});
  drop_user(job);
}

void EventReference::start_timer(NodeId requester, Request* request) {
  Station& s = station(requester);
  s.timers.push_back(request);
  schedule(now_ + s.node->endpoint.completion_timeout, EventKind::timeout, requester.value());
}

/// All timers of an endpoint run equally long, so the first started ends first.
void EventReference::time_out(NodeId requester) {
  Station& s = station(requester);
  Request* request = s.timers.front();
  s.timers.pop_front();
  answered(request, pcie::Status::no_answer);
}

void EventReference::deliver(DeliveryKind kind, const Job& job, const Request* request, RequestId id) {
  const Transaction& t = job.transaction;
  Delivery d;
  d.kind = kind;
  const bool to_target = kind == DeliveryKind::requested || (kind == DeliveryKind::arrived && t.notify_target);
  const bool to_requester = kind != DeliveryKind::requested && t.notify_requester;
  d.notify = to_target || to_requester;
  d.op = t.op;
  d.purpose = t.purpose;
  if (kind != DeliveryKind::requested) d.status = job.status;
  d.spoofed = t.spoofed;
  d.translated = t.translated;
  d.translation = t.translation;
  d.requester = job.requester;
  d.target = t.target;
  d.channel = job.channel;
  d.cookie = t.cookie;
  d.request = id;
  d.address = request != nullptr ? request->piece.address : t.address;
  d.bytes = request != nullptr ? request->piece.bytes : t.bytes;
  d.ready = t.ready;
  d.done = now_;
  if (to_target) bound_by_reaction(t.target);
  if (to_requester) bound_by_reaction(job.requester);
  sink_->deliver(d);
}

void EventReference::bound_by_reaction(NodeId notified) {
  const Duration reaction = station(notified).node->endpoint.reaction;
  if (reaction >= never - now_) return;
  bounds_.push(now_ + reaction);
  horizon_ = std::min(horizon_, bounds_.top());
}

void EventReference::drop_user(Job* job) {
  if (--job->users == 0) jobs_.give_back(job);
}

}  // namespace peerpath::fabric
