// Several ingresses of a router compete for the link to one leaf: round robin TLP by TLP, but with everything that the
// competition needs at hand, for as long as nobody else can join it.

#include <algorithm>
#include <array>
#include <bit>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

namespace contest {

/// One competing FIFO and its foremost run.
struct Lane {
  Queue* fifo = nullptr;
  Femto when = 0;  ///< its next TLP is eligible
  Femto e = 0, slope = 0, serialisation = 0, service = 0, done = 0;
  std::int64_t left = 0;
  int units = 0;
  Progression starts;
};

}  // namespace contest

/// The competition for one transmitter from `now` on.
struct Engine::Contest {
  using Lane = contest::Lane;

  Engine& engine;
  Transmitter& z;
  Leaf& leaf;
  CreditLoop& credit;
  Femto now, limit, surprise;
  Femto free = z.free, taken_in = leaf.taken_in[0];
  int count = 0, next = 0;  ///< lanes; the one whose turn it is
  int most_units = 0, returned_units = 0;
  Progression arrivals{}, returns{};
  std::array<Lane, max_ingresses> lanes{};

  void open(std::uint64_t slots);
  bool play();
  void close();

  void enter(Lane& lane);
  std::uint32_t eligible_at(Femto at) const;
  void start_one(Lane& lane, Femto at);
  std::int64_t whole_rounds(Femto at) const;
  void start_rounds(Femto at, std::int64_t rounds);
  void add_starts(Lane& lane, Femto first, Femto step, std::int64_t more);
  void take_in(Femto arrival, Femto spacing, Femto done, Femto step, int units, std::int64_t more);
  void finish_run(Lane& lane);
  void book(Lane& lane);
};

void Engine::Contest::open(std::uint64_t slots) {
  for (; slots != 0; slots &= slots - 1) {
    Lane& lane = lanes[static_cast<std::size_t>(count++)];
    lane.fifo = &z.node->queues[std::countr_zero(slots)];
    enter(lane);
    if (lane.fifo->slot < z.next_slot) next = count;
  }
  if (next == count) next = 0;
}

void Engine::Contest::enter(Lane& lane) {
  const TlpRun& run = lane.fifo->runs.front();
  lane.e = run.e;
  lane.slope = run.slope;
  lane.when = std::max(run.e, lane.fifo->left);
  lane.left = run.count;
  lane.units = run.units;
  lane.serialisation = z.serialisation[run.dw];
  lane.service = leaf.occupancy_of(0, run.data_dw);
  lane.starts = {};
  most_units = std::max(most_units, lane.units);
}

/// Which lanes have a TLP that may start at `at`.
std::uint32_t Engine::Contest::eligible_at(Femto at) const {
  std::uint32_t eligible = 0;
  for (int i = 0; i < count; ++i)
    eligible |= static_cast<std::uint32_t>(lanes[static_cast<std::size_t>(i)].when <= at) << i;
  return eligible;
}

/// Plays it to its limit; false if nothing could start.
bool Engine::Contest::play() {
  const std::uint32_t all = (std::uint32_t{1} << count) - 1;
  bool any = false;
  for (;; any = true) {
    Femto at = free;
    std::uint32_t eligible = eligible_at(at);
    if (eligible == 0) {
      at = unknown_time;
      for (int i = 0; i < count; ++i) at = std::min(at, lanes[static_cast<std::size_t>(i)].when);
      eligible = eligible_at(at);
    }
    if (at >= limit) return any;
    if (credit.limited() && !credit.covers(most_units)) {
      credit.fold(at);
      if (!credit.covers(most_units)) return any;
    }
    if (eligible == all)
      if (const std::int64_t rounds = whole_rounds(at); rounds > 1) {
        start_rounds(at, rounds);
        continue;
      }
    const std::uint32_t from_next = eligible >> next << next;
    const int winner = std::countr_zero(from_next != 0 ? from_next : eligible);
    start_one(lanes[static_cast<std::size_t>(winner)], at);
    next = z.taken > 0 ? winner : winner + 1 == count ? 0 : winner + 1;
  }
}

void Engine::Contest::start_one(Lane& lane, Femto at) {
  z.queueing += at - lane.when;
  if (credit.limited()) credit.take(1, lane.units);
  add_starts(lane, at, 0, 1);
  free = at + lane.serialisation;
  const Femto arrival = free + z.propagation;
  lane.done = std::max(arrival, taken_in) + lane.service;
  take_in(arrival, 0, lane.done, 0, lane.units, 1);
  lane.e += lane.slope;
  lane.when = std::max(lane.e, free);
  z.next_slot = lane.fifo->slot + 1;
  if (!z.turns.empty()) z.keep_turn(lane.fifo->slot, 1);
  if (--lane.left == 0) finish_run(lane);
}

/// How many times from `at` on every lane surely gets its turn, its TLP being eligible as soon as the one before is
/// gone.
std::int64_t Engine::Contest::whole_rounds(Femto at) const {
  if (!z.turns.empty()) return 0;
  const Lane& one = lanes[0];
  const Femto serialisation = one.serialisation, round = count * serialisation;
  if (taken_in > at + serialisation + z.propagation && one.service < serialisation) return 0;
  std::int64_t rounds = ((limit - 1 - at) / serialisation + 1) / count;
  if (credit.limited()) rounds = std::min(rounds, credit.covered(one.units) / count);
  for (int i = 0; i < count; ++i) {
    const int turn = next + i < count ? next + i : next + i - count;
    const Lane& lane = lanes[static_cast<std::size_t>(turn)];
    if (lane.serialisation != serialisation || lane.service != one.service || lane.units != one.units ||
        lane.slope > round || lane.e + lane.slope > at + (i + 1) * serialisation)
      return 0;
    rounds = std::min(rounds, lane.left);
  }
  return rounds;
}

void Engine::Contest::start_rounds(Femto at, std::int64_t rounds) {
  const Lane& one = lanes[0];
  const Femto serialisation = one.serialisation, service = one.service, round = count * serialisation;
  const std::int64_t starts = rounds * count;
  const Femto arrival = at + serialisation + z.propagation;
  const Femto done = std::max(arrival, taken_in) + service, step = std::max(serialisation, service);
  if (credit.limited()) credit.take(starts, one.units);
  take_in(arrival, serialisation, done, step, one.units, starts);
  free = at + starts * serialisation;
  for (int i = 0, turn = next; i < count; ++i) {
    Lane& lane = lanes[static_cast<std::size_t>(turn)];
    turn = turn + 1 == count ? 0 : turn + 1;
    const Femto first = at + i * serialisation;
    z.queueing += first - lane.when + (rounds - 1) * (round - serialisation);
    add_starts(lane, first, round, rounds);
    lane.done = done + ((rounds - 1) * count + i) * step;
    lane.e += rounds * lane.slope;
    lane.when = std::max(lane.e, first + (rounds - 1) * round + serialisation);
    lane.left -= rounds;
    z.next_slot = lane.fifo->slot + 1;
  }
  for (int i = 0; i < count; ++i)
    if (Lane& lane = lanes[static_cast<std::size_t>(i)]; lane.left == 0) finish_run(lane);
}

void Engine::Contest::add_starts(Lane& lane, Femto first, Femto step, std::int64_t more) {
  if (lane.starts.add(first, step, more)) return;
  book(lane);
  lane.starts = {first, step, more};
}

/// The leaf takes TLPs in, in the order in which they started.
void Engine::Contest::take_in(Femto arrival, Femto spacing, Femto done, Femto step, int units, std::int64_t more) {
  taken_in = done + (more - 1) * step;
  if (!arrivals.add(arrival, spacing, more)) {
    engine.cause_dllps(z, arrivals.first, arrivals.spacing, static_cast<std::int32_t>(arrivals.count), now);
    arrivals = {arrival, spacing, more};
  }
  if (!credit.limited()) return;
  const Femto back = done + z.update_fc;
  if (returned_units == units && returns.add(back, step, more)) return;
  if (returns.count > 0) credit.give(returns.first, returns.spacing, returns.count, returned_units);
  returns = {back, step, more};
  returned_units = units;
}

void Engine::Contest::finish_run(Lane& lane) {
  book(lane);
  limit = std::min(limit, engine.horizon_);
  if (!lane.fifo->runs.empty()) return enter(lane);
  lane.when = unknown_time;
  limit = std::min(limit, surprise);
}

/// Books the starts of a lane so far, and what they free at the router.
void Engine::Contest::book(Lane& lane) {
  const auto count_here = static_cast<std::int32_t>(lane.starts.count);
  if (count_here == 0) return;
  Queue& fifo = *lane.fifo;
  TlpRun& run = fifo.runs.front();
  const Departure departure{lane.starts.first, count_here == 1 ? 0 : lane.starts.spacing, lane.serialisation,
                            count_here};
  Record& record = engine.records_[run.record];
  count_tlps(z, record, run, departure);
  Ingress& in = *fifo.ingress;
  CreditLoop& freed = in.from->credit[0];
  if (freed.limited()) {
    freed.give(departure.first + departure.serialisation + in.from->update_fc, departure.spacing, count_here,
               run.units);
    if (in.from->unknown) engine.touch(*in.from);
  }
  fifo.left = in.posted_left = z.free;
  in.posted_out += count_here;
  record.open -= count_here;
  record.done = std::max(record.done, lane.done);
  if (record.open == 0) engine.finish_posted(record, run.record, leaf, record.done);
  run.count -= count_here;
  run.e += count_here * run.slope;
  run.address += static_cast<std::uint64_t>(count_here) * static_cast<std::uint64_t>(run.step);
  if (run.count == 0) engine.pop(fifo);
  lane.starts = {};
}

void Engine::Contest::close() {
  if (arrivals.count > 0)
    engine.cause_dllps(z, arrivals.first, arrivals.spacing, static_cast<std::int32_t>(arrivals.count), now);
  if (returns.count > 0) credit.give(returns.first, returns.spacing, returns.count, returned_units);
  leaf.taken_in[0] = taken_in;
  for (int i = 0; i < count; ++i) {
    Lane& lane = lanes[static_cast<std::size_t>(i)];
    book(lane);
    z.candidates &= ~lane.fifo->bit;
    if (!lane.fifo->runs.empty()) engine.refresh_head(*z.node, *lane.fifo);
  }
  if (z.next_slot == z.slots) z.next_slot = 0;
  z.free = free;
  engine.touch(z);
}

bool Engine::contend(Transmitter& z) {
  const NodeState& node = *z.node;
  if (z.peer->leaf == nullptr || observer_ != nullptr || z.error_prone || z.gate != nullptr || may_stray_ ||
      z.unknown || z.stalling != 0 || (z.candidates & ~posted_slots) != 0 || (node.blocked | node.mixed) != 0)
    return false;
  const Femto now = z.decision;
  if (now != std::max(z.ready_since, z.free)) return false;
  for (std::uint64_t lanes = z.candidates; lanes != 0; lanes &= lanes - 1)
    if (const Queue& fifo = node.queues[std::countr_zero(lanes)];
        fifo.ingress->from->vc1_classes != 0 || awaited(node, fifo, now))
      return false;
  Femto limit = std::min({horizon_, z.due.front(), next_arrival(z, z.candidates, now)});
  if (topology_.reconfigures && notices_coming_ > 0) limit = std::min(limit, now + shortest_arrival_);
  if (limit <= now) return false;
  limit = std::min(limit, next_dllp(z, next_start(*z.reverse, now)));
  // What arrives from `surprise` on queues up behind what is there, as long as there is something.
  Contest contest{*this, z, *z.peer->leaf, z.credit[0], now, limit, later(now, z.lookahead)};
  contest.open(z.candidates);
  if (!contest.play()) return false;
  contest.close();
  return true;
}

}  // namespace peerpath::fabric
