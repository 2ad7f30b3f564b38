#include "fabric/engine/link_layer.hpp"

#include <algorithm>

namespace peerpath::fabric::engine {

Femto after_due_dllps(const Transmitter& x, Femto start) {
  if (x.free <= x.due.front() && x.due.front_sent() <= start && x.due.second_front() > start) return start;
  Femto free = x.free;
  x.due.each([&](Femto due) {
    if (due > start) return false;
    free = std::max(free, due) + x.dllp;
    start = std::max(start, free);
    return true;
  });
  return start;
}

namespace {

void send_batch(Transmitter& x) {
  x.free = x.due.front_sent();
  x.dllps += x.due.front_batch().size();
  x.due.pop_batch();
}

/// Counts the DLLPs that have left by `until`, before which no TLP comes to `x`.
void retire_dllps(Transmitter& x, Femto until) {
  if (x.due.empty() || x.has_candidates() || !x.up) return;
  while (x.due.front_sent() <= until && x.free <= x.due.front()) send_batch(x);
}

}  // namespace

void send_due_dllps(Transmitter& x, Femto until) {
  while (x.due.front() <= until) {
    // A whole batch, if nobody waits meanwhile.
    if (x.due.front_sent() <= std::min(until, x.ready_since) && x.free <= x.due.front()) {
      send_batch(x);
      continue;
    }
    const Femto send = std::max(x.free, x.due.front());
    if (send > until) return;
    const Femto idle_since = std::max(x.free, x.ready_since);
    if (send > idle_since) x.stalling += send - idle_since;
    x.free = send + x.dllp;
    ++x.dllps;
    x.due.pop();
  }
}

void cause_due_dllps(State& state, Transmitter& x, Femto first, Femto spacing, std::int32_t count, Femto now) {
  Transmitter& back = *x.reverse;
  retire_dllps(back, now);
  DllpBatch batch;
  owe(batch.acks, x.ack_interval, x.next_ack, first, spacing, count);
  owe(batch.updates, x.fc_interval, x.next_fc, first, spacing, count);
  if (x.ack_interval >= 2 * back.dllp && x.fc_interval >= 2 * back.dllp) batch.sent = batch.sent_by(back.dllp);
  back.due.push(batch);
  if (back.has_candidates() && batch.front() <= back.decision) state.touch(back);
}

}  // namespace peerpath::fabric::engine
