#include "fabric/reference/endpoints.hpp"

#include <algorithm>

#include "fabric/vocabulary/worse_status.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::fabric::reference {

using pcie::TlpClass;

void Endpoints::submit(NodeId requester, ChannelIndex channel, const Transaction& transaction) {
  Station& from = state_.station(requester);
  require(
      from.node->is_endpoint && state_.station(transaction.target).node->is_endpoint && requester != transaction.target,
      "a transaction goes from one endpoint to another");
  require(channel.value() >= 1 && channel.value() <= from.node->endpoint.channels, "no such channel");
  require(transaction.traffic_class < traffic_classes, "no such traffic class");
  require(transaction.account < state_.topology.accounts, "no such account");
  require(transaction.ready >= state_.now, "submitted for a time in the past");
  Job* job = state_.jobs.take({transaction, requester, channel});
  const TlpClass tlp_class = pcie::request_class(transaction.op);
  if (tlp_class == TlpClass::posted) job->status = transaction.answer;
  const auto kind = pcie::request_kind(transaction.translated || transaction.translation,
                                       transaction.spoofed && state_.flaw != Flaw::spoofs);
  const auto runs = pcie::split_request(from.rules, transaction.op, transaction.address, transaction.bytes);
  for (const pcie::Run& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) {
      Tlp* tlp = state_.tlps.take({.job = job, .piece = run[i], .tlp_class = tlp_class});
      tlp->destination = transaction.target;
      tlp->kind = kind;
      tlp->earliest = transaction.ready;
      tlp->egress = from.outgoing.front();
      ++job->users;
      ++job->unfinished;
      ++job->unsent;
      if (tlp_class == TlpClass::non_posted) {
        tlp->request = state_.requests.take({job, run[i]});
        ++job->users;
      }
      queues_.enter(requester, channel.value(), tlp);
    }
}

void Endpoints::respond(RequestId id, Instant ready, pcie::Status status) {
  const auto found = state_.at_external.find(id.value());
  require(found != state_.at_external.end(), "answered a request that is not open");
  require(ready >= state_.now, "answered for a time in the past");
  require(status != pcie::Status::no_answer, "an answer cannot be no answer");
  Request* request = found->second;
  state_.at_external.erase(found);
  answer(request->job->transaction.target, request, status, ready, false);
}

// TLPs arrive in the order in which they start, so what an arrival will cause is known at the start.

void Endpoints::arrive(Station& s, NodeId node, Tlp* tlp, Instant arrival) {
  if (s.node->endpoint.one_queue == 0 || tlp->tlp_class == TlpClass::posted) return serve(s, node, tlp, arrival);
  s.held.push_back({tlp, arrival});
  pass_held(s, node);
}

/// Lets what waits in the one receive queue go on, as far as is known which completions will have left.
void Endpoints::pass_held(Station& s, NodeId node) {
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
std::int64_t Endpoints::completions_for(const Station& s, NodeId node, const Tlp& request) const {
  const Transaction& asked = request.job->transaction;
  const bool timed = !state_.stations[asked.target.value()].node->endpoint.external;
  if (timed && asked.answer == pcie::Status::no_answer) return 0;
  const auto status = request.destination == node ? asked.answer : s.node->endpoint.misdirected;
  return pcie::split_completion(s.rules, asked.op, status, request.piece.address, request.piece.bytes).pieces();
}

void Endpoints::serve(Station& s, NodeId node, Tlp* tlp, Instant arrival) {
  Server& server = s.servers[tlp->pool];
  server.last_done = std::max(arrival, server.last_done) + server.service[static_cast<std::size_t>(tlp->piece.data_dw)];
  server.tlps.push_back(tlp);
  state_.schedule(server.last_done, EventKind::taken_in, node.value(), tlp->pool);
}

void Endpoints::take_in(NodeId node, std::uint8_t pool) {
  Server& server = state_.station(node).servers[pool];
  Tlp* tlp = server.tlps.front();
  server.tlps.pop_front();
  state_.schedule(state_.now + state_.transmitter(tlp->came_by).direction->update_fc, EventKind::credit, tlp->came_by,
                  pool, tlp->piece.units);
  Job* job = tlp->job;
  switch (tlp->tlp_class) {
    case TlpClass::posted:
      if (tlp->destination != node) {
        job->status = worse(job->status, state_.station(node).node->endpoint.misdirected);
        job->missing += tlp->piece.bytes;
      }
      if (--job->unfinished == 0) deliver(DeliveryKind::arrived, *job, nullptr, {});
      break;
    case TlpClass::non_posted:
      take_in_request(node, tlp);
      break;
    case TlpClass::completion:
      take_in_completion(node, tlp);
      break;
  }
  state_.tlps.give_back(tlp);
  drop_user(job);
}

void Endpoints::take_in_request(NodeId node, Tlp* tlp) {
  Station& s = state_.station(node);
  const Endpoint& endpoint = s.node->endpoint;
  const Job& job = *tlp->job;
  const std::size_t vc = tlp->channel();
  if (tlp->destination != node) {
    ++s.requests[vc];
    const bool timed = !state_.station(tlp->destination).node->endpoint.external;
    if (timed && job.transaction.answer == pcie::Status::no_answer) return;  // the requester's timer runs
    return answer(node, tlp->request, endpoint.misdirected, state_.now + endpoint.read_latency, true);
  }
  if (endpoint.external) {
    const RequestId id{++state_.next_request};
    state_.at_external[id.value()] = tlp->request;
    return deliver(DeliveryKind::requested, job, tlp->request, id);
  }
  const std::uint64_t k = s.requests[vc]++ | std::uint64_t{vc} << 31;
  if (job.transaction.answer == pcie::Status::no_answer) return;  // the requester's timer runs
  std::uint64_t jitter = 0;
  if (endpoint.read_jitter > Duration{0}) {
    const std::uint64_t number = (std::uint64_t{node.value()} << 32) | k;
    jitter = mix(state_.topology.seed ^ mix(number)) % (static_cast<std::uint64_t>(endpoint.read_jitter.count()) + 1);
  }
  const Instant data_ready = state_.now + endpoint.read_latency + Duration{static_cast<std::int64_t>(jitter)};
  answer(node, tlp->request, job.transaction.answer, data_ready, true);
}

/// Puts the completions of one request into channel 0 of its completer.
void Endpoints::answer(NodeId completer, Request* request, pcie::Status status, Instant data_ready,
                       bool by_read_server) {
  Station& s = state_.station(completer);
  Job* job = request->job;
  const Endpoint& endpoint = s.node->endpoint;
  const pcie::Operation op = job->transaction.op;
  if (status != pcie::Status::success) job->missing += request->piece.bytes;
  const auto runs = pcie::split_completion(s.rules, op, status, request->piece.address, request->piece.bytes);
  request->completions = runs.pieces();
  const std::uint8_t vc = state_.transmitter(s.outgoing.front()).channel(*job);
  Instant& read_server = s.read_servers[vc];
  Instant ready = by_read_server ? std::max(read_server, data_ready) : data_ready;
  for (const pcie::Run& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) {
      Tlp* tlp = state_.tlps.take({.job = job, .request = request, .piece = run[i], .tlp_class = TlpClass::completion});
      const bool has_data = tlp->piece.data_dw > 0;
      if (by_read_server && has_data && endpoint.read_rate > BitRate{}) ready += tlp->piece.bytes / endpoint.read_rate;
      tlp->status = status;
      tlp->destination = job->requester;
      tlp->kind = state_.flaw == Flaw::routes         ? pcie::RouteKind::request
                  : job->transaction.relaxed_ordering ? pcie::RouteKind::relaxed_completion
                                                      : pcie::RouteKind::completion;
      tlp->earliest = ready;
      tlp->egress = s.outgoing.front();
      ++job->users;
      queues_.enter(completer, vc == 0 ? 0 : s.vc1_completions, tlp);
    }
  if (by_read_server) read_server = ready;
}

void Endpoints::take_in_completion(NodeId node, Tlp* tlp) {
  Request* request = tlp->request;
  if (tlp->destination != node) {
    request->lost = true;
    if (!pcie::request_has_data(tlp->job->transaction.op)) tlp->job->missing += tlp->piece.bytes;
  }
  if (--request->completions > 0) return;
  if (request->lost)
    start_timer(tlp->destination, request);
  else
    answered(request, tlp->status);
}

/// A request is over, by its last completion or by the completion timeout: its tag is free.
void Endpoints::answered(Request* request, pcie::Status status) {
  Job* job = request->job;
  Station& s = state_.station(job->requester);
  ++s.tags;
  state_.poke(s.outgoing.front());
  job->status = std::max(job->status, status);
  state_.requests.give_back(request);
  if (--job->unfinished == 0) deliver(DeliveryKind::completed, *job, nullptr, {});
  drop_user(job);
}

void Endpoints::start_timer(NodeId requester, Request* request) {
  Station& s = state_.station(requester);
  s.timers.push_back(request);
  state_.schedule(state_.now + s.node->endpoint.completion_timeout, EventKind::timeout, requester.value());
}

/// All timers of an endpoint run equally long, so the first started ends first.
void Endpoints::time_out(NodeId requester) {
  Station& s = state_.station(requester);
  Request* request = s.timers.front();
  s.timers.pop_front();
  answered(request, pcie::Status::no_answer);
}

void Endpoints::deliver(DeliveryKind kind, const Job& job, const Request* request, RequestId id) {
  const Transaction& t = job.transaction;
  const bool requested = kind == DeliveryKind::requested;
  const bool to_target = requested || (kind == DeliveryKind::arrived && t.notify_target);
  const bool to_requester = kind == DeliveryKind::sent ? t.notify_sent : !requested && t.notify_requester;
  if (to_target) bound_by_reaction(t.target);
  if (to_requester) bound_by_reaction(job.requester);
  state_.sink->deliver({.kind = kind,
                        .notify = to_target || to_requester,
                        .op = t.op,
                        .purpose = t.purpose,
                        .status = requested || kind == DeliveryKind::sent ? pcie::Status::success : job.status,
                        .translated = t.translated,
                        .translation = t.translation,
                        .spoofed = t.spoofed,
                        .requester = job.requester,
                        .target = t.target,
                        .channel = job.channel,
                        .account = t.account,
                        .cookie = t.cookie,
                        .request = id,
                        .address = request != nullptr ? request->piece.address : t.address,
                        .bytes = request != nullptr ? request->piece.bytes : t.bytes,
                        .missing = missing(kind, job),
                        .ready = t.ready,
                        .done = state_.now});
}

Bytes Endpoints::missing(DeliveryKind kind, const Job& job) {
  if (kind == DeliveryKind::requested || kind == DeliveryKind::sent) return Bytes{};
  const bool refused = kind == DeliveryKind::arrived && job.transaction.answer != pcie::Status::success;
  return refused ? job.transaction.bytes : job.missing;
}

void Endpoints::sent(Job* job) {
  deliver(DeliveryKind::sent, *job, nullptr, {});
  drop_user(job);
}

void Endpoints::bound_by_reaction(NodeId notified) {
  const Duration reaction = state_.station(notified).node->endpoint.reaction;
  if (reaction >= never - state_.now) return;
  state_.bounds.push(state_.now + reaction);
  state_.horizon = std::min(state_.horizon, state_.bounds.top());
}

void Endpoints::drop_user(Job* job) {
  if (--job->users == 0) state_.jobs.give_back(job);
}

}  // namespace peerpath::fabric::reference
