// DLLPs of a transmitter: the ones that it owes, and the ones that its TLPs cause on the way back.
#pragma once

#include <algorithm>

#include "fabric/engine/state.hpp"

namespace peerpath::fabric::engine {

/// A TLP that could start on `x` at `start` lets the DLLPs go first that are due by then: its start.
Femto after_due_dllps(const Transmitter& x, Femto start);
inline Femto after_dllps(const Transmitter& x, Femto start) {
  return x.due.front() > start ? start : after_due_dllps(x, start);
}

/// Sends the DLLPs that are due up to and including `until`.
void send_due_dllps(Transmitter& x, Femto until);
inline void send_dllps(Transmitter& x, Femto until) {
  if (x.due.front() <= until) send_due_dllps(x, until);
}

/// TLPs of `x` arrive at its far end and make that owe ACKs and UpdateFCs; `now` is the start of the first of them.
void cause_due_dllps(State& state, Transmitter& x, Femto first, Femto spacing, std::int32_t count, Femto now);
inline void cause_dllps(State& state, Transmitter& x, Femto first, Femto spacing, std::int32_t count, Femto now) {
  if (std::min(x.next_ack, x.next_fc) <= first + (count - 1) * spacing)
    cause_due_dllps(state, x, first, spacing, count, now);
}

}  // namespace peerpath::fabric::engine
