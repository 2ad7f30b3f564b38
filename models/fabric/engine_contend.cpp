// Several ingresses of a router compete for the link to one leaf: round robin TLP by TLP, but with everything that the
// competition needs at hand, for as long as nobody else can join it.

#include <algorithm>
#include <array>
#include <bit>

#include "fabric/engine.hpp"

namespace peerpath::fabric {

namespace {

/// Slots of the posted class.
constexpr std::uint64_t posted_slots = 0111111111111111111111u;

/// Times as long as they are equally spaced.
struct Progression {
  Femto first = 0, spacing = 0;
  std::int32_t count = 0;

  bool add(Femto time) {
    if (count == 0)
      first = time;
    else if (count == 1)
      spacing = time - first;
    else if (time != first + count * spacing)
      return false;
    ++count;
    return true;
  }
};

}  // namespace

/// One competing FIFO and its foremost run.
struct Engine::Lane {
  Queue* fifo = nullptr;
  Femto when = 0;  ///< its next TLP is eligible
  Femto e = 0, slope = 0, serialisation = 0, service = 0, done = 0;
  std::int32_t left = 0;
  int units = 0;
  Progression starts;
};

void Engine::enter(Lane& lane, const Transmitter& z, Leaf& leaf) {
  const TlpRun& run = lane.fifo->runs.front();
  lane.e = run.e;
  lane.slope = run.slope;
  lane.when = std::max(run.e, lane.fifo->left);
  lane.left = run.count;
  lane.units = run.units;
  lane.serialisation = z.serialisation[run.dw];
  lane.service = leaf.occupancy_of(0, run.data_dw);
  lane.starts = {};
}

/// Books the starts of a lane that are equally spaced, and what they free at the router.
void Engine::leave(Lane& lane, Transmitter& z, Leaf& leaf) {
  if (lane.starts.count == 0) return;
  Queue& fifo = *lane.fifo;
  TlpRun& run = fifo.runs.front();
  const std::int32_t count = lane.starts.count;
  const Departure departure{lane.starts.first, count == 1 ? 0 : lane.starts.spacing, lane.serialisation, count};
  Record& record = records_[run.record];
  count_tlps(z, record, run, departure);
  Ingress& in = *fifo.ingress;
  Transmitter& back = *in.from;
  if (back.credit[0].limited()) {
    back.credit[0].give(departure.first + departure.serialisation + back.update_fc, departure.spacing, count, run.units);
    if (back.unknown) touch(back);
  }
  fifo.left = in.posted_left = z.free;
  in.posted_out += count;
  record.open -= count;
  if (record.open == 0) finish_posted(run.record, leaf, lane.done);
  run.count -= count;
  run.e += count * run.slope;
  run.address += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(run.step);
  if (run.count == 0) fifo.runs.pop();
  lane.starts = {};
}

bool Engine::contend(Transmitter& z) {
  NodeState& node = *z.node;
  if (std::has_single_bit(z.candidates) || node.leaf != nullptr || z.peer->leaf == nullptr ||
      observer_ != nullptr || z.unknown || z.stalling != 0 || (z.candidates & ~posted_slots) != 0 ||
      (node.blocked | node.mixed) != 0)
    return false;
  const Femto now = z.decision;
  if (now != std::max(z.ready_since, z.free)) return false;
  Femto limit = std::min({horizon_, z.due.front(), later(now, z.lookahead)});
  if (topology_.reconfigures && notices_coming_ > 0) limit = std::min(limit, now + shortest_arrival_);
  if (limit <= now + z.dllp) return false;
  limit = std::min(limit, next_dllp(z, now));

  Leaf& leaf = *z.peer->leaf;
  std::array<Lane, 21> lanes;
  int count = 0, next = 0, most_units = 0;
  for (std::uint64_t left = z.candidates; left != 0; left &= left - 1) {
    Lane& lane = lanes[static_cast<std::size_t>(count++)];
    lane.fifo = &node.queues[std::countr_zero(left)];
    enter(lane, z, leaf);
    if (lane.fifo->slot < z.next_slot) next = count;
    most_units = std::max(most_units, lane.units);
  }
  if (next == count) next = 0;

  CreditLoop& credit = z.credit[0];
  Progression arrivals, returns;
  int returned_units = 0;
  Femto free = z.free, taken_in = leaf.taken_in[0];
  bool any = false;
  for (;;) {
    Femto first = unknown_time;
    for (int i = 0; i < count; ++i) first = std::min(first, lanes[static_cast<std::size_t>(i)].when);
    const Femto at = std::max(first, free);
    if (at >= limit) break;
    if (credit.limited() && !credit.covers(most_units)) {
      credit.fold(at);
      if (!credit.covers(most_units)) break;
    }
    std::uint32_t eligible = 0;
    for (int i = 0; i < count; ++i)
      eligible |= static_cast<std::uint32_t>(lanes[static_cast<std::size_t>(i)].when <= at) << i;
    const std::uint32_t from_next = eligible >> next << next;
    const int winner = std::countr_zero(from_next != 0 ? from_next : eligible);
    next = winner + 1 == count ? 0 : winner + 1;
    Lane& lane = lanes[static_cast<std::size_t>(winner)];
    any = true;

    z.queueing += at - lane.when;
    if (credit.limited()) credit.take(1, lane.units);
    if (!lane.starts.add(at)) {
      leave(lane, z, leaf);
      lane.starts.add(at);
    }
    free = at + lane.serialisation;
    const Femto arrival = free + z.propagation;
    if (!arrivals.add(arrival)) {
      cause_dllps(z, arrivals.first, arrivals.spacing, arrivals.count, now);
      arrivals = {arrival, 0, 1};
    }
    taken_in = lane.done = std::max(arrival, taken_in) + lane.service;
    if (credit.limited() && (returned_units != lane.units || !returns.add(taken_in + z.update_fc))) {
      if (returns.count > 0)
        credit.give(returns.first, returns.count == 1 ? 0 : returns.spacing, returns.count, returned_units);
      returns = {taken_in + z.update_fc, 0, 1};
      returned_units = lane.units;
    }
    z.next_slot = lane.fifo->slot + 1 == z.slots ? 0 : lane.fifo->slot + 1;
    lane.e += lane.slope;
    lane.when = std::max(lane.e, free);
    if (--lane.left > 0) continue;

    leave(lane, z, leaf);
    limit = std::min(limit, horizon_);
    lane.when = unknown_time;
    if (lane.fifo->runs.empty()) continue;
    enter(lane, z, leaf);
    most_units = std::max(most_units, lane.units);
  }
  if (!any) return false;
  if (arrivals.count > 0)
    cause_dllps(z, arrivals.first, arrivals.count == 1 ? 0 : arrivals.spacing, arrivals.count, now);
  if (returns.count > 0)
    credit.give(returns.first, returns.count == 1 ? 0 : returns.spacing, returns.count, returned_units);
  leaf.taken_in[0] = taken_in;
  for (int i = 0; i < count; ++i) {
    Lane& lane = lanes[static_cast<std::size_t>(i)];
    leave(lane, z, leaf);
    z.candidates &= ~lane.fifo->bit;
    if (!lane.fifo->runs.empty()) refresh_head(node, *lane.fifo);
  }
  z.free = free;
  touch(z);
  return true;
}

}  // namespace peerpath::fabric
