#include "fabric/engine.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "peerpath/base/fail.hpp"

namespace peerpath::fabric {

void Engine::submit(NodeId requester, ChannelIndex channel, const Transaction& t) {
  if (femtoseconds(t.ready) < reached_) fail("a transaction was submitted for a time already computed");
  NodeState& node = nodes_[requester.value()];
  Leaf& own = *node.leaf;
  const std::uint32_t index = records_.take();
  Record& record = records_[index];
  record.asked = t;
  record.status = t.answer;
  record.done = 0;
  record.requester = requester;
  record.channel = channel;
  record.tally = own.tally + static_cast<std::uint32_t>(t.purpose);
  if (t.op != pcie::Operation::memory_write || requester == t.target || !own.writes.cover(t.address, t.bytes))
    return submit_other(own, index);
  // By far the most frequent, so without `enqueue`: it is one run, and no other can be joined with it.
  Queue& fifo = node.queues[std::size_t{channel.value()} * 3];
  const bool first = fifo.runs.empty();
  TlpRun& run = fifo.runs.push_stale();
  own.writes.cut(pcie::request_header_double_words(t.op, t.address), t.address, t.bytes, run);
  run.per = 0;
  run.e = femtoseconds(t.ready);
  run.slope = run.mark = 0;
  run.record = index;
  record.open = run.count;
  Ingress& in = *fifo.ingress;
  in.posted_in += run.count;
  in.posted_by[requester.value()] = in.posted_in;
  in.marked = false;
  Leaf& target = leaf(t.target);
  target.expect(node.number, 1);
  if (t.notify_requester) ++own.notices_coming, ++own.echoes_coming, ++notices_coming_;
  if (t.notify_target) ++target.notices_coming, ++notices_coming_;
  if (first) {
    refresh_head(node, fifo);
    settle();
  }
}

[[gnu::noinline]] void Engine::submit_other(Leaf& own, std::uint32_t index) {
  Record& record = records_[index];
  const Transaction& t = record.asked;
  if (record.requester == t.target) note_to_itself();
  const auto tlp_class = pcie::request_class(t.op);
  if (tlp_class != pcie::TlpClass::posted) record.status = pcie::Status::success;
  record.open = record.lost = 0;
  Queue& fifo = own.node->queues[record.channel.value() * 3 + static_cast<int>(tlp_class)];
  TlpRun tlps;
  tlps.e = femtoseconds(t.ready);
  tlps.record = index;
  tlps.out = static_cast<std::uint16_t>(own.out->index);
  if (t.op == pcie::Operation::memory_read && own.reads.cover(t.address, t.bytes)) {
    own.reads.cut(pcie::request_header_double_words(t.op, t.address), t.address, t.bytes, tlps);
    record.open = tlps.count;
    enqueue(*own.node, fifo, tlps);
  } else {
    for (const pcie::Run& run : pcie::split_request(own.rules, t.op, t.address, t.bytes)) {
      record.open += run.count;
      tlps.set_size(run);
      enqueue(*own.node, fifo, tlps);
    }
  }
  count_coming(record, own);
  settle();
}

/// Notes what the transaction may cause at its ends, so that runs elsewhere stop in time.
void Engine::count_coming(Record& record, Leaf& requester) {
  Leaf& target = leaf(record.asked.target);
  if (record.asked.notify_requester) ++requester.notices_coming, ++notices_coming_;
  if (pcie::request_class(record.asked.op) == pcie::TlpClass::posted) {
    target.expect(requester.node->number, 1);
    if (record.asked.notify_requester) ++requester.echoes_coming;
    if (record.asked.notify_target) ++target.notices_coming, ++notices_coming_;
    return;
  }
  requester.expect(target.node->number, 1);
  target.expect(requester.node->number, record.open);
  if (target.config.external) {
    target.notices_coming += record.open;
    notices_coming_ += record.open;
    record.asked.answer = pcie::Status::success;  // it answers as it likes
  } else if (record.asked.answer != pcie::Status::no_answer) {
    target.requests_coming += record.open;
  }
  if (record.asked.answer == pcie::Status::no_answer) record.lost = record.open;
}

void Engine::enqueue(NodeState& node, Queue& fifo, const TlpRun& run) {
  Ingress& in = *fifo.ingress;
  const Record& record = records_[run.record];
  const std::size_t sender = record.sender(fifo.tlp_class);
  std::int64_t mark = 0;
  bool may_join = true;
  if (fifo.tlp_class == static_cast<int>(pcie::TlpClass::posted)) {
    in.posted_in += run.count;
    in.posted_by[sender] = in.posted_in;
    may_join = !in.marked;
    in.marked = false;
  } else if (!(record.asked.relaxed_ordering && fifo.tlp_class == static_cast<int>(pcie::TlpClass::completion))) {
    mark = record.asked.id_based_ordering ? in.posted_by[sender] : in.posted_in;
    in.marked = in.marked || mark > 0;
  }
  if (!fifo.runs.empty()) {
    TlpRun& last = fifo.runs.back();
    if (may_join && last.mark == mark && continues(last, run)) {
      const Femto step = run.e - (last.e + (last.count - 1) * last.slope);
      if (step >= 0 && (last.count == 1 || step == last.slope) && (run.count == 1 || step == run.slope)) {
        last.slope = step;
        last.count += run.count;
        last.tail = run.tail;
        return;
      }
    }
    if (last.out != run.out) node.mixed |= fifo.bit;
  }
  TlpRun& entered = fifo.runs.push(run);
  entered.mark = mark;
  if (fifo.runs.size() == 1) refresh_head(node, fifo);
}

/// Whether the TLPs of `run` are those that come after `last`.
bool Engine::continues(const TlpRun& last, const TlpRun& run) const {
  if (last.record != run.record || last.dw != run.dw || last.out != run.out || last.step != run.step ||
      last.per != run.per ||
      last.address + static_cast<std::uint64_t>(last.count) * static_cast<std::uint64_t>(last.step) != run.address)
    return false;
  return run.per == 0 ? last.answered == run.answered
                      : run.answered == (run.offset == 0 ? answers_[last.tail].next : last.tail);
}

/// Takes the first `count` TLPs off a run, which may be all.
void Engine::go_ahead(TlpRun& run, std::int32_t count) const {
  run.count -= count;
  run.e += count * run.slope;
  run.address += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(run.step);
  if (run.per == 0) return;
  std::int32_t offset = run.offset + count;
  for (; offset >= run.per && run.answered != nobody; offset -= run.per) run.answered = answers_[run.answered].next;
  run.offset = static_cast<std::uint16_t>(offset);
}

void Engine::refresh_head(NodeState& node, Queue& fifo) {
  const TlpRun& run = fifo.runs.front();
  Femto eligible = std::max(run.e, fifo.left);
  if (run.mark > 0) {
    const Ingress& in = *fifo.ingress;
    if (run.mark > in.posted_out) {
      node.blocked |= fifo.bit;
      return;
    }
    if (run.mark == in.posted_out) eligible = std::max(eligible, in.posted_left);
    node.blocked &= ~fifo.bit;
  }
  fifo.head = eligible;
  Transmitter& x = transmitters_[run.out];
  if (node.two_channels) fifo.pool = static_cast<std::uint8_t>(pool(x, fifo.tlp_class, run));
  x.candidates |= fifo.bit;
  touch(x);
}

Instant Engine::advance(Instant limit) {
  require(femtoseconds(limit) >= reached_, "the fabric cannot go back in time");
  require(limit < never, "the end of time cannot be reached, only what is before it");
  horizon_ = femtoseconds(limit);
  if (!bounds_.empty()) drop_bounds();
  if (may_stray_) review_routes();
  parking_ = true;
  play();
  reached_ = played_ = horizon_;
  return Instant{Duration{reached_}};
}

/// Those that are over bound no more.
void Engine::drop_bounds() {
  while (bounds_.front() <= reached_) {
    std::ranges::pop_heap(bounds_, std::greater<>{});
    bounds_.pop_back();
    if (bounds_.empty()) return;
  }
  horizon_ = std::min(horizon_, bounds_.front());
}

/// Makes all starts before the horizon, but for those that may be parked.
void Engine::play() {
  playing_ = true;
  if (!recurrence_.riding || !fast_forward_on()) {
    unpark();
    while (decisions_.earliest_time() < horizon_ && !recurrence_.riding)
      start_next(transmitters_[decisions_.earliest()]);
  }
  playing_ = false;
}

void Engine::start_next(Transmitter& x) {
  const bool done = x.node->leaf != nullptr ? pass_through(x) : (x.candidates & (x.candidates - 1)) != 0 && contend(x);
  if (!done && (x.node->leaf == nullptr || !(try_fast_forward(x) || try_put_off(x)))) carry_out(x);
  settle();
}

/// Leaves a run that the horizon would cut in two to the next `advance`, if nothing comes of it before: its first TLP
/// does not reach the router by then, and its DLLPs meet nobody on the way back. Not where nobody is told of anything:
/// there states that come again are learnt, from starts in their order.
[[gnu::noinline]] bool Engine::put_off(Transmitter& x) {
  const Queue& fifo = x.node->queues[x.winner];
  const TlpRun& run = fifo.runs.front();
  const Femto start = x.decision, last = start + (run.count - 1) * std::max(run.slope, x.serialisation[run.dw]);
  if (run.count == 1 || last < horizon_ || !parking_ || notices_coming_ == 0) return false;
  if (x.peer->leaf != nullptr || observer_ != nullptr || x.error_prone || x.gate != nullptr || held_ || may_stray_ ||
      x.candidates != fifo.bit || x.unknown || x.stalling != 0 || x.node->blocked != 0 ||
      (fifo.takes_tags && records_[run.record].asked.answer == pcie::Status::no_answer) ||
      next_start(*x.reverse, start) < horizon_)
    return false;
  put_off_ = true;
  parked_.push(&x);
  decisions_.set(static_cast<std::size_t>(x.index), horizon_);
  return true;
}

void Engine::unpark() {
  loose_ = std::exchange(put_off_, false);
  if (parked_.size() == 1) {
    // All others come later.
    Transmitter& x = *parked_.front();
    parked_.clear();
    return start_next(x);
  }
  for (std::size_t i = 0; i < parked_.size(); ++i)
    decisions_.set(static_cast<std::size_t>(parked_[i]->index), parked_[i]->decision);
  parked_.clear();
}

/// Makes the parked starts before the time reached: somebody looks at them or changes what they depend on.
void Engine::catch_up() {
  if ((parked_.empty() && !recurrence_.riding) || playing_) return;
  horizon_ = reached_;
  parking_ = false;
  play();
  played_ = reached_;
  hear(false);  // more may be submitted before what has begun to be learnt is over
}

void Engine::set_link(LinkId link, bool up) {
  catch_up();
  forget_steady_reads();
  look_afresh();
  for (std::size_t direction = 0; direction < 2; ++direction) {
    Transmitter& x = transmitters_[link.value() * 2u + direction];
    if (x.up == up) continue;
    if (up) {
      x.free = std::max(x.free, reached_);
    } else {
      send_dllps(x, reached_ - 1);
      const Femto idle_since = std::max(x.ready_since, x.free);
      if (idle_since < reached_) x.stalling += reached_ - idle_since;
    }
    x.up = up;
    touch(x);
  }
  settle();
}

void Engine::set_timing(LinkId link, int direction, const LineTiming& timing) {
  catch_up();
  forget_steady_reads();
  look_afresh();
  Transmitter& x = transmitters_[link.value() * 2u + static_cast<unsigned>(direction)];
  x.framing = timing.framing.count();
  set_dllp_intervals(x, timing.ack_interval, timing.fc_interval);
  set_rate(link, direction, timing.rate);
}

void Engine::set_rate(LinkId link, int direction, BitRate rate) {
  catch_up();
  forget_steady_reads();
  look_afresh();
  Transmitter& x = transmitters_[link.value() * 2u + static_cast<unsigned>(direction)];
  if (x.up) send_dllps(x, reached_ - 1);
  x.signalling += (x.dllps - std::exchange(x.dllps_then, x.dllps)) * x.dllp;
  set_times(x, rate);
  x.due.forget_sent();
  for (Leaf& leaf : leaves_) leaf.crossings = {};
  if (x.peer->leaf != nullptr) shortest_arrival_ = std::min(shortest_arrival_, x.shortest + x.propagation);
  if (x.node->leaf != nullptr && x.node->leaf->config.one_queue > 0)
    shortest_arrival_ = std::min(shortest_arrival_, x.shortest);
  touch(x);
  settle();
}

void Engine::leak_credits(LinkId link, int direction, pcie::TlpClass tlp_class, Credits lost) {
  catch_up();
  forget_steady_reads();
  look_afresh();
  Transmitter& x = transmitters_[link.value() * 2u + static_cast<unsigned>(direction)];
  x.credit[static_cast<std::size_t>(tlp_class)].leak(lost);
  touch(x);
  settle();
}

void Engine::strike(LinkId link, int direction) {
  catch_up();
  Transmitter& x = transmitters_[link.value() * 2u + static_cast<unsigned>(direction)];
  x.errors.strike();
  x.error_prone = true;
}

DirectionCounters Engine::counters(LinkId link, int direction) const {
  const_cast<Engine*>(this)->catch_up();  // what was put off is, to whoever looks, done
  const Transmitter& x = transmitters_[link.value() * 2u + static_cast<unsigned>(direction)];
  std::int64_t dllps = x.dllps;
  Femto free = x.free;
  x.due.each([&](Femto due) {
    if (!x.up || std::max(free, due) >= reached_) return false;
    free = std::max(free, due) + x.dllp;
    ++dllps;
    return true;
  });
  const Duration signalling{x.signalling + (dllps - x.dllps_then) * x.dllp};
  return {.dllps = dllps,
          .busy = Duration{x.busy},
          .queueing = Duration{x.queueing},
          .replays = x.replays,
          .replaying = Duration{x.replaying},
          .credit_stall = Duration{x.credit_stall},
          .signalling = signalling,
          .ahead = Duration{std::max<Femto>(free - reached_, 0)},
          .tallies = x.tallies};
}

}  // namespace peerpath::fabric
