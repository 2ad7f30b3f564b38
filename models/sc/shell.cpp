#include "sc/shell.hpp"

#include <algorithm>

#include "peerpath/sc/time.hpp"

namespace peerpath::sc {

Shell::Shell(const sc_core::sc_module_name& name, loop::Reactor& reactor, Duration quantum)
    : sc_core::sc_module{name}, reactor_{reactor}, quantum_{quantum} {
  if (!femtosecond_resolution())
    SC_REPORT_FATAL("peerpath/shell",
                    "SystemC must count in femtoseconds: call peerpath::sc::set_femtosecond_resolution() "
                    "first in sc_main");
  SC_HAS_PROCESS(Shell);
  SC_METHOD(wake_devices);
  sensitive << wake_;
  SC_METHOD(compute);
  sensitive << go_;
}

Shell::~Shell() = default;

void Shell::submitted() {
  if (idle_) go_.notify(sc_core::SC_ZERO_TIME);
}

void Shell::touch() {
  arm_wake(reactor_.next_event(), now());
  if (idle_ && reactor_.in_flight() != 0) go_.notify(sc_core::SC_ZERO_TIME);
}

void Shell::settle() {
  const auto present = now();
  while (reactor_.horizon() < present) reactor_.advance(present);
  arm_wake(reactor_.next_event(), present);
}

void Shell::arm_wake(Instant next, Instant present) {
  if (next >= wake_time_) return;  // an event that comes too early finds nothing to do
  wake_time_ = next;
  wake_.notify(to_sc_time(std::max(next, present) - present));
}

void Shell::wake_devices() {
  const auto present = now();
  wake_time_ = never;
  reactor_.start();
  arm_wake(reactor_.react(present), present);
  if (idle_ && reactor_.in_flight() != 0) go_.notify(sc_core::SC_ZERO_TIME);
}

Instant Shell::limit() const {
  const auto present = now();
  Instant limit = std::min(present + quantum_, reactor_.bound());
  if (others_act_ && others_act_() && sc_core::sc_pending_activity_at_future_time())
    limit = std::min(limit, present + to_duration(sc_core::sc_time_to_pending_activity()));
  return limit;
}

void Shell::compute() {
  // Whoever acts at this instant does so first: what they submit belongs to the batch that starts now.
  if (sc_core::sc_pending_activity_at_current_time()) {
    go_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  const auto present = now();
  idle_ = reactor_.in_flight() == 0;
  if (idle_) return;
  if (reactor_.horizon() <= present) {
    reactor_.advance(limit());
    arm_wake(reactor_.next_event(), present);
  }
  go_.notify(to_sc_time(reactor_.horizon() - present));
}

}  // namespace peerpath::sc
