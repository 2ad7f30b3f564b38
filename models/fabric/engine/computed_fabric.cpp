#include "fabric/engine/computed_fabric.hpp"

#include <algorithm>
#include <utility>

#include "fabric/engine/link_layer.hpp"
#include "fabric/engine/timing.hpp"
#include "fabric/engine/waiting.hpp"
#include "peerpath/base/fail.hpp"

namespace peerpath::fabric {

using engine::EndpointState;
using engine::Femto;
using engine::Fifo;
using engine::Record;
using engine::TlpRun;
using engine::Transmitter;

// ------------------------------------------------------------------------------------------------ transactions

void ComputedFabric::submit(NodeId requester, ChannelIndex channel, const Transaction& t) {
  if (femtoseconds(t.ready) < s_.reached) fail("a transaction was submitted for a time already computed");
  EndpointState& own = s_.endpoint(requester);
  const std::uint32_t index = s_.records.take();
  Record& record = s_.records[index];
  record.asked = t;
  record.status = t.answer;
  record.alive = true;
  record.rerouted = false;
  record.done = 0;
  record.missing = Bytes{};
  record.requester = requester;
  record.channel = channel;
  record.tally = own.tally + static_cast<std::uint32_t>(t.purpose);
  record.set_ways();
  if (t.op != pcie::Operation::memory_write || requester == t.target || !own.writes.cover(t.address, t.bytes))
    return submit_other(own, index);
  // By far the most frequent: one run, and no other can be joined with it.
  Fifo& fifo = own.out->fifos[0][std::size_t{channel.value()} * pcie::tlp_classes];
  TlpRun& run = fifo.runs.push_stale();
  own.writes.cut(pcie::request_header_double_words(t.op, t.address), t.address, t.bytes, run);
  run.e = femtoseconds(t.ready);
  run.slope = 0;
  run.per = 0;
  run.record = index;
  record.open = run.count;
  EndpointState& target = s_.endpoint(t.target);
  ++target.inbound;
  if (t.notify_requester) ++own.notices_coming, ++own.echoes_coming, ++s_.notices_coming;
  if (t.tell_sent) count_send(own, fifo, record);
  if (t.notify_target) ++target.notices_coming, ++s_.notices_coming;
  queues_.enter(fifo, record);
  sender_.settle();
}

[[gnu::noinline]] void ComputedFabric::submit_other(EndpointState& own, std::uint32_t index) {
  Record& record = s_.records[index];
  const Transaction& t = record.asked;
  if (record.requester == t.target) routes_.send_to_itself();
  const auto tlp_class = pcie::request_class(t.op);
  if (tlp_class != pcie::TlpClass::posted) record.status = pcie::Status::success;
  record.open = record.lost = 0;
  Fifo& fifo =
      own.out->fifos[0][std::size_t{record.channel.value()} * pcie::tlp_classes + static_cast<std::size_t>(tlp_class)];
  TlpRun tlps;
  tlps.e = femtoseconds(t.ready);
  tlps.record = index;
  if (t.op == pcie::Operation::memory_read && own.reads.cover(t.address, t.bytes)) {
    own.reads.cut(pcie::request_header_double_words(t.op, t.address), t.address, t.bytes, tlps);
    record.open = tlps.count;
    queues_.enqueue(fifo, tlps);
  } else {
    for (const pcie::Run& run : pcie::split_request(own.rules, t.op, t.address, t.bytes)) {
      record.open += run.count;
      tlps.set_size(run);
      queues_.enqueue(fifo, tlps);
    }
  }
  if (t.tell_sent && tlp_class == pcie::TlpClass::posted) count_send(own, fifo, record);
  count_coming(index, own);
  sender_.settle();
}

/// Notes that the requester is to be told when the last TLP has left.
[[gnu::noinline]] void ComputedFabric::count_send(EndpointState& own, Fifo& fifo, Record& record) {
  record.unsent = record.open;
  if (!record.asked.notify_sent) return;
  ++own.notices_coming, ++own.sends_coming, ++s_.notices_coming, ++fifo.sends_coming;
  if (!std::exchange(s_.hears_sends, true))
    for (const EndpointState& each : s_.endpoints)
      s_.shortest_arrival = std::min(s_.shortest_arrival, each.out->shortest);
}

/// Notes the TLPs and notices that the transaction may cause at its ends, so that trains elsewhere stop in time.
void ComputedFabric::count_coming(std::uint32_t index, EndpointState& requester) {
  Record& record = s_.records[index];
  EndpointState& target = s_.endpoint(record.asked.target);
  if (record.asked.notify_requester) ++requester.notices_coming, ++s_.notices_coming;
  if (pcie::request_class(record.asked.op) == pcie::TlpClass::posted) {
    ++target.inbound;
    if (record.asked.notify_requester) ++requester.echoes_coming;
    if (record.asked.notify_target) ++target.notices_coming, ++s_.notices_coming;
    return;
  }
  ++requester.inbound;
  target.inbound += record.open;
  if (target.config.external) {
    target.notices_coming += record.open;
    s_.notices_coming += record.open;
    record.asked.answer = pcie::Status::success;  // it answers as it likes
  } else if (record.asked.answer != pcie::Status::no_answer) {
    target.requests_coming += record.open;
  }
  if (record.asked.answer == pcie::Status::no_answer) record.lost = record.open;
}

void ComputedFabric::respond(RequestId request, Instant ready, pcie::Status status) {
  const auto index = static_cast<std::uint32_t>(request.value());
  require(index < s_.answers.size(), "a response to an unknown request");
  require(femtoseconds(ready) >= s_.reached, "a response was given for a time already computed");
  s_.answers[index].status = status;
  const Transaction& asked = s_.records[s_.answers[index].record].asked;
  EndpointState& own = s_.endpoint(asked.target);
  Fifo& fifo = engine::Queues::completions_of(own, asked);
  const std::size_t waiting = fifo.runs.size();
  receiver_.answer(own, index, femtoseconds(ready), false);
  if (s_.topology.strays) bring_forward(fifo, waiting);
  sender_.settle();
}

/// Completions enter in the order of time, but those of misdirected requests were queued as soon as it was known when
/// these will be taken in: the runs from `first` on, which enter now, go before those that enter later.
void ComputedFabric::bring_forward(Fifo& fifo, std::size_t first) {
  bool foremost = false;
  for (std::size_t i = first; i < fifo.runs.size(); ++i) {
    std::size_t at = i;
    for (; at > 0 && s_.answers[fifo.runs[at - 1].answered].entered > s_.reached; --at)
      std::swap(fifo.runs[at - 1], fifo.runs[at]);
    foremost = foremost || (at == 0 && i > 0);
  }
  if (foremost) queues_.refresh_head(fifo);
}

// ------------------------------------------------------------------------------------------------ time

Instant ComputedFabric::advance(Instant limit) {
  require(femtoseconds(limit) >= s_.reached, "the fabric cannot go back in time");
  require(limit < never, "a run ends before the largest representable time");
  s_.horizon = femtoseconds(limit);
  s_.bound_horizon();
  if (s_.may_stray) {
    routes_.review();
    sender_.settle();
  }
  may_put_off_ = true;
  play();
  s_.reached = s_.horizon;
  return Instant{Duration{s_.reached}};
}

/// Makes all starts before the horizon, but for those that may be put off.
void ComputedFabric::play() {
  playing_ = true;
  resume();
  while (s_.decisions.earliest_time() < s_.horizon) start_next(s_.transmitters[s_.decisions.earliest()]);
  playing_ = false;
}

/// The next start is that of `x`. A run that the horizon would cut in two is left to the next `advance` where nothing
/// comes of it before: its first TLP does not reach the router by then, and its DLLPs meet nobody on the way back.
void ComputedFabric::start_next(Transmitter& x) {
  if (may_put_off_ && sender_.may_put_off(x)) {
    put_off_.push_back(&x);
    s_.decisions.set(static_cast<std::size_t>(x.index), engine::unknown_time);
    return;
  }
  sender_.carry_out(x);
  sender_.settle();
}

/// Starts that were put off may be made now.
void ComputedFabric::resume() {
  for (Transmitter* x : put_off_) s_.decisions.set(static_cast<std::size_t>(x->index), x->decision);
  put_off_.clear();
}

/// Makes the starts before the time reached that were put off: somebody looks at them or changes what they depend on.
void ComputedFabric::catch_up() {
  if (put_off_.empty() || playing_) return;
  s_.horizon = s_.reached;
  may_put_off_ = false;
  play();
}

/// Every effect of a start lies later than the start. Of a run that was put off the last TLP starts at the time reached
/// or later, and the first reaches a router.
Instant ComputedFabric::quiet_until() const {
  Femto next = s_.decisions.earliest_time();
  for (const Transmitter* x : put_off_)
    next = std::min({next, x->decision + x->propagation + x->peer->latency, s_.reached + x->shortest});
  return next >= engine::unknown_time ? never : Instant{Duration{std::max(next, s_.reached)}};
}

// ------------------------------------------------------------------------------------------------ changes

void ComputedFabric::set_link(LinkId link, bool up) {
  catch_up();
  for (const int direction : {0, 1}) {
    Transmitter& x = transmitter(link, direction);
    if (x.up == up) continue;
    if (up) {
      x.free = std::max(x.free, s_.reached);
    } else {
      send_dllps(x, s_.reached - 1);
      const Femto idle_since = std::max(x.ready_since, x.free);
      if (idle_since < s_.reached) x.stalling += s_.reached - idle_since;
    }
    x.up = up;
    s_.touch(x);
  }
  sender_.settle();
}

void ComputedFabric::set_route(const Route& route) {
  catch_up();
  if (routes_.set(route)) sender_.settle();
}

void ComputedFabric::set_timing(LinkId link, int direction, const LineTiming& timing) {
  catch_up();
  Transmitter& x = transmitter(link, direction);
  x.framing = timing.framing.count();
  set_dllp_intervals(x, timing.ack_interval, timing.fc_interval);
  set_rate(link, direction, timing.rate);
}

void ComputedFabric::set_rate(LinkId link, int direction, BitRate rate) {
  catch_up();
  Transmitter& x = transmitter(link, direction);
  if (x.up) send_dllps(x, s_.reached - 1);
  x.signalling += (x.dllps - std::exchange(x.dllps_then, x.dllps)) * x.dllp;
  set_times(x, rate);
  x.due.forget_sent();
  if (x.peer->endpoint != nullptr) s_.shortest_arrival = std::min(s_.shortest_arrival, x.shortest + x.propagation);
  if (x.node->endpoint != nullptr && (x.node->endpoint->config.one_queue > 0 || s_.hears_sends))
    s_.shortest_arrival = std::min(s_.shortest_arrival, x.shortest);
  s_.touch(x);
  sender_.settle();
}

void ComputedFabric::leak_credits(LinkId link, int direction, pcie::TlpClass tlp_class, Credits lost) {
  catch_up();
  Transmitter& x = transmitter(link, direction);
  x.credit[static_cast<std::size_t>(tlp_class)].leak(lost);
  s_.touch(x);
  sender_.settle();
}

void ComputedFabric::strike(LinkId link, int direction) {
  catch_up();
  Transmitter& x = transmitter(link, direction);
  x.errors.strike();
  x.error_prone = true;
}

// ------------------------------------------------------------------------------------------------ looks

DirectionCounters ComputedFabric::counters(LinkId link, int direction) const {
  const_cast<ComputedFabric*>(this)->catch_up();  // to whoever looks, a start that was put off is done
  const Transmitter& x = s_.transmitters[link.value() * 2u + static_cast<unsigned>(direction)];
  std::int64_t dllps = x.dllps;
  Femto free = x.free, stall = x.credit_stall + x.stalling;
  const auto idle_until = [&](Femto until) { stall += std::max<Femto>(0, until - std::max(free, x.ready_since)); };
  x.due.each([&](Femto due) {
    const Femto send = std::max(free, due);
    if (!x.up || send >= s_.reached) return false;
    idle_until(send);
    free = send + x.dllp;
    ++dllps;
    return true;
  });
  if (x.up) idle_until(s_.reached);
  const Duration signalling{x.signalling + (dllps - x.dllps_then) * x.dllp};
  return {.dllps = dllps,
          .busy = Duration{x.busy},
          .queueing = Duration{x.queueing},
          .replays = x.replays,
          .replaying = Duration{x.replaying},
          .credit_stall = Duration{stall},
          .signalling = signalling,
          .ahead = Duration{std::max<Femto>(free - s_.reached, 0)},
          .tallies = x.tallies,
          .accounts = x.accounts};
}

std::vector<Waiting> ComputedFabric::waiting() const {
  const_cast<ComputedFabric*>(this)->catch_up();
  return engine::waiting(s_);
}

void ComputedFabric::observe(TlpObserver* observer) {
  catch_up();
  s_.observer = observer;
}

}  // namespace peerpath::fabric
