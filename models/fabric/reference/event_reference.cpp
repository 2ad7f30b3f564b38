#include "fabric/reference/event_reference.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric {

using pcie::TlpClass;
using reference::Fifo;
using reference::Ingress;
using reference::Job;
using reference::nowhere;
using reference::Server;

namespace {

constexpr std::size_t index_of(TlpClass c) { return static_cast<std::size_t>(c); }
constexpr std::size_t slot_of(std::size_t ingress, TlpClass c) { return ingress * pcie::tlp_classes + index_of(c); }

/// Places of `eligible` events: of 63 slots for each of 42 lanes.
constexpr std::uint32_t slots_per_node = 4096;

}  // namespace

// ------------------------------------------------------------------------------------------------ construction

EventReference::EventReference(const Topology& topology, DeliverySink& sink, Flaw flaw)
    : topology_{topology}, wiring_{topology_}, sink_{&sink}, flaw_{flaw} {
  build_transmitters();
  build_stations();
}

// ------------------------------------------------------------------------------------------------ from outside

void EventReference::submit(NodeId requester, ChannelIndex channel, const Transaction& transaction) {
  Station& from = station(requester);
  require(from.node->is_endpoint && station(transaction.target).node->is_endpoint && requester != transaction.target,
          "a transaction goes from one endpoint to another");
  require(channel.value() >= 1 && channel.value() <= from.node->endpoint.channels, "no such channel");
  require(transaction.traffic_class < traffic_classes, "no such traffic class");
  require(transaction.ready >= now_, "submitted for a time that is over");
  Job* job = jobs_.take({transaction, requester, channel});
  const TlpClass tlp_class = pcie::request_class(transaction.op);
  if (tlp_class == TlpClass::posted) job->status = transaction.answer;
  const auto kind = pcie::request_kind(transaction.translated || transaction.translation,
                                       transaction.spoofed && flaw_ != Flaw::spoofs);
  const auto runs = pcie::split_request(from.rules, transaction.op, transaction.address, transaction.bytes);
  for (const pcie::Run& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) {
      Tlp* tlp = tlps_.take({.job = job, .piece = run[i], .tlp_class = tlp_class});
      tlp->destination = transaction.target;
      tlp->kind = kind;
      tlp->earliest = transaction.ready;
      tlp->egress = from.outgoing.front();
      ++job->users;
      ++job->unfinished;
      if (tlp_class == TlpClass::non_posted) {
        tlp->request = requests_.take({job, run[i]});
        ++job->users;
      }
      enter(requester, channel.value(), tlp);
    }
}

void EventReference::respond(RequestId id, Instant ready, pcie::Status status) {
  const auto found = at_external_.find(id.value());
  require(found != at_external_.end(), "answered a request that is not open");
  require(ready >= now_, "answered for a time that is over");
  require(status != pcie::Status::no_answer, "an answer cannot be no answer");
  Request* request = found->second;
  at_external_.erase(found);
  answer(request->job->transaction.target, request, status, ready, false);
}

void EventReference::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::eligible: {
      const NodeId node{static_cast<std::uint16_t>(event.place / slots_per_node)};
      station(node).fifos[event.place % slots_per_node].head = Fifo::Head::waiting;
      return consider(node, event.place % slots_per_node);
    }
    case EventKind::line_free:
      return poke(event.place);
    case EventKind::dllp_due:
      ++transmitter(event.place).dllps_due;
      return poke(event.place);
    case EventKind::left:
      left(transmitter(event.place));
      return poke(event.place);
    case EventKind::taken_in:
      return take_in(NodeId{static_cast<std::uint16_t>(event.place)}, event.pool);
    case EventKind::credit:
      return return_credits(event.place, event.pool, event.units);
    case EventKind::timeout:
      return time_out(NodeId{static_cast<std::uint16_t>(event.place)});
  }
}

Instant EventReference::advance(Instant limit) {
  require(limit >= now_, "time does not run backwards");
  require(limit < never, "the end of time cannot be reached, only what is before it");
  while (!bounds_.empty() && bounds_.top() <= now_) bounds_.pop();
  horizon_ = bounds_.empty() ? limit : std::min(limit, bounds_.top());  // `deliver` may bring it nearer
  for (;;) {
    const Instant next = events_.empty() ? never : events_.top().when;
    // Events at the horizon itself still belong here; only the starts at it wait for the reactions.
    if (next > now_ && !to_arbitrate_.empty() && now_ < horizon_) {
      arbitrate_all();
    } else if (next > horizon_ || events_.empty()) {
      return now_ = horizon_;
    } else {
      now_ = next;
      handle(events_.pop());
    }
  }
}

void EventReference::set_link(LinkId link, bool up) {
  for (const std::uint32_t index : {2u * link.value(), 2u * link.value() + 1u}) {
    transmitter(index).up = up;
    poke(index);
  }
}

void EventReference::set_route(const Route& route) {
  Station& s = station(route.router);
  const auto in = static_cast<std::size_t>(wiring_.port_of(route.router, route.ingress));
  const auto out = static_cast<std::size_t>(wiring_.port_of(route.router, route.egress));
  s.routes[(in * stations_.size() + route.target.value()) * pcie::route_kinds + static_cast<std::size_t>(route.kind)] =
      s.outgoing[out];
}

void EventReference::set_timing(LinkId link, int direction, const LineTiming& timing) {
  Transmitter& t = transmitter(2u * link.value() + static_cast<std::uint32_t>(direction));
  t.direction->framing = timing.framing;
  t.direction->ack_interval = timing.ack_interval;
  t.direction->fc_interval = timing.fc_interval;
  t.next_ack = t.next_fc = {};
  set_times(t, timing.rate);
}

void EventReference::set_rate(LinkId link, int direction, BitRate rate) {
  set_times(transmitter(2u * link.value() + static_cast<std::uint32_t>(direction)), rate);
}

void EventReference::leak_credits(LinkId link, int direction, TlpClass tlp_class, Credits lost) {
  const std::uint32_t index = 2u * link.value() + static_cast<std::uint32_t>(direction);
  transmitter(index).header[index_of(tlp_class)] -= lost.header;
  transmitter(index).data[index_of(tlp_class)] -= lost.data;
  poke(index);
}

void EventReference::strike(LinkId link, int direction) {
  transmitter(2u * link.value() + static_cast<std::uint32_t>(direction)).errors.strike();
}

DirectionCounters EventReference::counters(LinkId link, int direction) const {
  const Transmitter& t = transmitters_[2u * link.value() + static_cast<std::size_t>(direction)];
  DirectionCounters counters = t.counters;
  counters.ahead = std::max(t.free - horizon_, Duration{0});
  counters.tallies = t.tallies;
  return counters;
}

// ------------------------------------------------------------------------------------------------ queues

void EventReference::enter(NodeId node, std::size_t ingress_number, Tlp* tlp) {
  Station& s = station(node);
  const Transmitter& out = transmitter(tlp->egress);
  const std::size_t place = first_place(out, channel(out, *tlp)) + slot_of(ingress_number, tlp->tlp_class);
  Ingress& ingress = s.ingresses[place / pcie::tlp_classes];
  const Transaction& transaction = tlp->job->transaction;
  const NodeId sender = tlp->tlp_class == TlpClass::completion ? transaction.target : tlp->job->requester;
  if (tlp->tlp_class == TlpClass::posted) {
    tlp->mark = 0;
    ingress.last_posted[sender.value()] = ++ingress.posted_entered;
  } else if (tlp->tlp_class == TlpClass::completion && (transaction.relaxed_ordering || flaw_ == Flaw::ordering)) {
    tlp->mark = 0;
  } else {
    tlp->mark = transaction.id_based_ordering ? ingress.last_posted[sender.value()] : ingress.posted_entered;
  }
  Fifo& fifo = s.fifos[place];
  tlp->entered = ++entered_;
  fifo.tlps.push_back(tlp);
  if (fifo.tlps.size() == 1) consider(node, place);
}

/// Makes the head of a FIFO eligible if it is its time, or sees to it that this is done in time.
void EventReference::consider(NodeId node, std::size_t place) {
  Station& s = station(node);
  Fifo& fifo = s.fifos[place];
  if (fifo.head != Fifo::Head::waiting) return;
  const Tlp& head = *fifo.tlps.front();
  if (s.ingresses[place / pcie::tlp_classes].posted_left < head.mark) return;  // again when the next P leaves
  if (flaw_ == Flaw::shared_queue && !oldest_of_ingress(s, place)) return;
  if (head.earliest > now_) {
    fifo.head = Fifo::Head::scheduled;
    return schedule(head.earliest, EventKind::eligible,
                    static_cast<std::uint32_t>(node.value() * slots_per_node + place));
  }
  fifo.head = Fifo::Head::eligible;
  fifo.eligible_since = now_;
  Transmitter& t = transmitter(head.egress);
  t.wanting[channel(t, head)] |= std::uint64_t{1} << place % t.slots;
  poke(head.egress);
}

/// Flaw::shared_queue: whether no TLP of its class and ingress entered before the first of this FIFO.
bool EventReference::oldest_of_ingress(const Station& s, std::size_t place) const {
  const std::size_t slots = static_cast<std::size_t>(wiring_.ingresses(node_of(s))) * pcie::tlp_classes;
  for (std::size_t other = place % slots; other < s.fifos.size(); other += slots)
    if (!s.fifos[other].tlps.empty() && s.fifos[other].tlps.front()->entered < s.fifos[place].tlps.front()->entered)
      return false;
  return true;
}

/// The TLP that `t` was sending has left its node.
void EventReference::left(Transmitter& t) {
  const auto sent = t.sending;
  Station& s = station(t.from);
  Fifo& fifo = s.fifos[sent.slot];
  fifo.tlps.pop_front();
  fifo.head = Fifo::Head::waiting;
  if (sent.came_by != nowhere)
    schedule(now_ + transmitter(sent.came_by).direction->update_fc, EventKind::credit, sent.came_by, sent.pool,
             sent.units);
  if (!fifo.tlps.empty()) consider(t.from, sent.slot);
  if (flaw_ == Flaw::shared_queue)
    for (std::size_t place = sent.slot % t.slots; place < s.fifos.size(); place += t.slots)
      if (!s.fifos[place].tlps.empty()) consider(t.from, place);
  if (sent.tlp_class != TlpClass::posted) return;
  ++s.ingresses[sent.slot / pcie::tlp_classes].posted_left;
  for (const std::size_t c : {1u, 2u})
    if (!s.fifos[sent.slot + c].tlps.empty()) consider(t.from, sent.slot + c);
}

// ------------------------------------------------------------------------------------------------ transmitters

/// After all else of this instant. No start has an effect within its instant, so the order is of no account.
void EventReference::arbitrate_all() {
  for (std::size_t i = 0; i < to_arbitrate_.size(); ++i) arbitrate(to_arbitrate_[i]);
  to_arbitrate_.clear();
}

bool EventReference::has_credits(const Transmitter& t, std::size_t pool, const Tlp& tlp) {
  const Credits& advertised = t.advertised[pool];
  return (advertised.header == 0 || t.header[pool] >= 1) && (advertised.data == 0 || t.data[pool] >= tlp.piece.units);
}

/// Whether the credits in hand will be enough with those on their way back, and those of what an endpoint is taking in.
bool EventReference::will_have_credits(std::uint32_t index, std::size_t pool, const Tlp& tlp) const {
  Transmitter t = transmitters_[index];
  const auto give = [&](int units) {
    t.header[pool] += 1;
    t.data[pool] += units;
  };
  for (const Event& event : events_.all())
    if (event.kind == EventKind::credit && event.place == index && event.pool == pool) give(event.units);
  for (const Tlp* taken : stations_[t.to.value()].servers[pool].tlps)
    if (taken->came_by == index) give(taken->piece.units);
  return has_credits(t, pool, tlp);
}

Waiting EventReference::waiting_in(std::size_t node, std::size_t place) const {
  const Station& s = stations_[node];
  const Ingress& ingress = s.ingresses[place / pcie::tlp_classes];
  const Fifo& fifo = s.fifos[place];
  const Tlp& head = *fifo.tlps.front();
  const Transmitter& t = transmitters_[head.egress];
  const std::size_t slot = place % t.slots;
  WaitFor why = WaitFor::time;
  const Fifo& posted = s.fifos[place - place % pcie::tlp_classes];
  const bool leaving = !posted.tlps.empty() && posted.head == Fifo::Head::started;
  if (fifo.head == Fifo::Head::waiting && ingress.posted_left + (leaving ? 1 : 0) < head.mark)
    why = WaitFor::ordering;
  else if (fifo.head == Fifo::Head::eligible && !t.up)
    why = WaitFor::link;
  else if (fifo.head == Fifo::Head::eligible && !has_tag(t, slot))
    why = WaitFor::tag;
  else if (fifo.head == Fifo::Head::eligible &&
           !will_have_credits(head.egress, pool_of(channel(t, head), head.tlp_class), head))
    why = WaitFor::credits;
  return {NodeId{static_cast<std::uint16_t>(node)},
          static_cast<int>(slot / pcie::tlp_classes),
          head.tlp_class,
          why,
          t.link,
          t.number,
          head.job->requester,
          head.job->transaction.target,
          head.job->transaction.cookie,
          head.piece.address,
          channel(t, head)};
}

std::vector<Waiting> EventReference::waiting() const {
  std::vector<Waiting> all;
  for (std::size_t node = 0; node < stations_.size(); ++node) {
    const Station& s = stations_[node];
    const std::size_t slots = static_cast<std::size_t>(wiring_.ingresses(node_of(s))) * pcie::tlp_classes;
    for (std::size_t slot = 0; slot < slots; ++slot)
      for (std::size_t place = slot; place < s.fifos.size(); place += slots)
        if (!s.fifos[place].tlps.empty()) all.push_back(waiting_in(node, place));
    if (s.held.empty()) continue;
    const Tlp& head = *s.held.front().tlp;
    const Transmitter& by = transmitters_[s.outgoing.front() ^ 1u];
    all.push_back({NodeId{static_cast<std::uint16_t>(node)}, Waiting::received, head.tlp_class, WaitFor::room, by.link,
                   by.number, head.job->requester, head.job->transaction.target, head.job->transaction.cookie,
                   head.piece.address});
  }
  return all;
}

bool EventReference::has_tag(const Transmitter& t, std::size_t slot) const {
  const Station& s = stations_[t.from.value()];
  const bool own_request = s.node->is_endpoint && slot % pcie::tlp_classes == index_of(TlpClass::non_posted);
  return !own_request || s.tags > 0;
}

/// Of the slots that can start on one virtual channel, starts the one whose turn it is; notes a want of credits if none
/// can.
[[gnu::always_inline]] inline bool EventReference::start_one(std::uint32_t index, std::size_t channel, bool& stalled) {
  Transmitter& t = transmitter(index);
  Station& s = station(t.from);
  const std::size_t lanes = first_place(t, channel);
  std::size_t next = t.slots;
  for (std::uint64_t slots = t.wanting[channel]; slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
    const Tlp& head = *s.fifos[lanes + slot].tlps.front();
    if (!t.up || !has_tag(t, slot)) continue;
    if (!has_credits(t, pool_of(channel, head.tlp_class), head))
      stalled = true;
    else if (next == t.slots || goes_before(t.channels[channel], slot, next))
      next = slot;
  }
  if (next == t.slots) return false;
  start(index, pool_of(channel, s.fifos[lanes + next].tlps.front()->tlp_class), next);
  return true;
}

/// Whose turn it is of two slots that can start, the first of them behind the other in slot order.
bool EventReference::goes_before(const Transmitter::Channel& turns, std::size_t slot, std::size_t other) const {
  if (flaw_ == Flaw::round_robin) return other < turns.round_robin && slot >= turns.round_robin;
  if (turns.taken > 0 && (slot == turns.holder || other == turns.holder)) return slot == turns.holder;
  return turns.last_start[slot] < turns.last_start[other];
}

void EventReference::arbitrate(std::uint32_t index) {
  Transmitter& t = transmitter(index);
  t.pending = false;
  count_stalls(t);
  if (t.up && t.dllps_due > 0) {
    --t.dllps_due;
    ++t.counters.dllps;
    t.counters.signalling += t.ser_dllp;
    t.free = now_ + t.ser_dllp;
    return schedule(t.free, EventKind::line_free, index);
  }
  bool stalled = false;
  if (t.vc1_classes == 0 ? start_one(index, 0, stalled) : start_of_two(index, stalled)) return;
  t.stalled = stalled;
  t.stalled_since = now_;
}

/// The same where there are two virtual channels.
[[gnu::noinline]] bool EventReference::start_of_two(std::uint32_t index, bool& stalled) {
  const Transmitter& t = transmitter(index);
  const std::size_t first = flaw_ == Flaw::channels ? 0 : t.vc_first;
  return start_one(index, first, stalled) || start_one(index, first ^ 1, stalled);
}

/// Whatever changes at a transmitter whose line is free leads to an arbitration, so those that lacked credits at the
/// last one lacked them until now.
void EventReference::count_stalls(Transmitter& t) {
  if (t.stalled) t.stalling += now_ - t.stalled_since;
  t.stalled = false;
}

/// `slot` has started: it keeps its turn while it has turns left.
[[gnu::always_inline]] inline void EventReference::pass_turn(Transmitter& t, std::size_t slot) {
  auto& by = t.channels[0];
  by.last_start[slot] = ++by.starts;
  by.round_robin = slot + 1;
  if (t.turns.empty()) return;
  by.taken = (slot == by.holder ? by.taken : 0) + 1;
  by.holder = slot;
  if (by.taken >= t.turns[slot / pcie::tlp_classes] || flaw_ == Flaw::weights) by.taken = 0;
}

/// The same where there are two virtual channels, each with its turns within it, and turns of its own unless they are
/// by strict priority.
[[gnu::noinline]] void EventReference::pass_turn_of_two(Transmitter& t, std::size_t slot, std::size_t channel) {
  std::swap(t.channels[0], t.channels[channel]);
  pass_turn(t, slot);
  std::swap(t.channels[0], t.channels[channel]);
  const int turns = t.channels[channel].turns;
  if (turns == 0) return;
  t.vc_taken = (channel == t.vc_holder ? t.vc_taken : 0) + 1;
  t.vc_holder = channel;
  t.vc_first = static_cast<std::uint8_t>(channel);
  if (t.vc_taken < turns) return;
  t.vc_taken = 0;
  t.vc_first = static_cast<std::uint8_t>(1 - channel);
}

void EventReference::start(std::uint32_t index, std::uint8_t pool, std::size_t slot) {
  Transmitter& t = transmitter(index);
  Station& s = station(t.from);
  const std::size_t vc = pool / pcie::tlp_classes;
  const std::size_t place = first_place(t, vc) + slot;
  Fifo& fifo = s.fifos[place];
  Tlp* tlp = fifo.tlps.front();
  t.header[pool] -= 1;
  t.data[pool] -= tlp->piece.units;
  if (s.node->is_endpoint && tlp->tlp_class == TlpClass::non_posted) {
    --s.tags;
    if (tlp->job->transaction.answer == pcie::Status::no_answer && !station(tlp->destination).node->endpoint.external)
      start_timer(t.from, tlp->request);
  }
  if (t.vc1_classes == 0)
    pass_turn(t, slot);
  else
    pass_turn_of_two(t, slot, vc);
  t.wanting[vc] &= ~(std::uint64_t{1} << slot);
  fifo.head = Fifo::Head::started;
  const Duration ser = t.ser[static_cast<std::size_t>(tlp->piece.dw)];
  const std::int64_t failed = t.errors.send(4 * tlp->piece.dw + t.direction->framing.count());
  const Duration recovery = flaw_ == Flaw::replay ? Duration{0} : t.direction->replay_delay;
  const Instant begin = now_ + failed * (ser + recovery);
  t.counters.replays += failed;
  t.counters.replaying += begin - now_;
  t.free = begin + ser + (flaw_ == Flaw::idles ? ser / 4 : Duration{0});
  t.sending = {place, tlp->tlp_class, tlp->came_by, tlp->pool, static_cast<std::uint16_t>(tlp->piece.units)};
  t.counters.queueing += now_ - fifo.eligible_since;
  t.counters.credit_stall += std::exchange(t.stalling, Duration{0});
  account(t, *tlp, begin, ser);
  schedule(t.free, EventKind::left, index);
  const bool answer = s.node->is_endpoint && s.node->endpoint.one_queue > 0 && tlp->tlp_class == TlpClass::completion;
  forward(t, index, pool, tlp, begin);
  if (!answer) return;
  s.answers_left.push_back(t.free);
  pass_held(s, t.from);
}

void EventReference::account(Transmitter& t, const Tlp& tlp, Instant begin, Duration ser) {
  const Job& job = *tlp.job;
  t.counters.busy += ser;
  Tally& tally = t.tallies[job.requester.value() * pcie::purposes + static_cast<std::size_t>(job.transaction.purpose)];
  const Bytes payload{4 * tlp.piece.data_dw};
  ++tally.tlps;
  tally.payload += payload;
  tally.overhead += Bytes{4 * tlp.piece.dw} + t.direction->framing - payload;
  if (observer_ == nullptr) return;
  observer_->observe({t.link, t.number, tlp.tlp_class, job.transaction.op, job.transaction.purpose, job.requester,
                      job.transaction.target, job.transaction.cookie, tlp.piece.address, payload, begin, begin + ser,
                      channel(t, tlp)});
}

/// Sends a TLP on its way to the next node; `begin` is the start of the transmission that succeeds.
void EventReference::forward(Transmitter& t, std::uint32_t index, std::uint8_t pool, Tlp* tlp, Instant begin) {
  const LinkDirection& in = *t.direction;
  Station& next = station(t.to);
  const Instant arrival = t.free + in.propagation;
  cause_dllps(t, arrival);
  tlp->came_by = index;
  tlp->pool = pool;
  if (next.node->is_endpoint) return arrive(next, t.to, tlp, through_gate(in, *tlp, arrival));
  tlp->egress = next.routes[(t.to_ingress * stations_.size() + tlp->destination.value()) * pcie::route_kinds +
                            static_cast<std::size_t>(tlp->kind)];
  const auto dw = static_cast<std::size_t>(tlp->piece.dw);
  const Duration wait = std::max(Duration{0}, t.ser[dw] - transmitter(tlp->egress).ser[dw]);
  tlp->earliest = through_gate(in, *tlp, begin + in.propagation + wait + next.node->router.latency);
  enter(t.to, pool < pcie::tlp_classes ? t.to_ingress : t.vc_ingress, tlp);
}

/// From when a TLP that comes to the receiver of a direction at `at` goes on there.
Instant EventReference::through_gate(const LinkDirection& direction, const Tlp& tlp, Instant at) {
  if (direction.gate == nullptr) return at;
  const Job& job = *tlp.job;
  const Transaction& t = job.transaction;
  const bool refused = tlp.tlp_class == TlpClass::posted && t.answer != pcie::Status::success;
  return direction.gate->pass({tlp.tlp_class, t.op, t.purpose, t.translated, refused, job.requester, t.target,
                               tlp.piece.address, tlp.piece.bytes, at});
}

void EventReference::return_credits(std::uint32_t index, std::uint8_t pool, int units) {
  Transmitter& t = transmitter(index);
  t.header[pool] += 1;
  t.data[pool] += units;
  poke(index);
}

}  // namespace peerpath::fabric
