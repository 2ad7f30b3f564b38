// Drives a reactor from SystemC's event queue.
#pragma once

#include <functional>
#include <systemc>

#include "loop/reactor.hpp"

namespace peerpath::sc {

/// For a simulation in which others live, too. Two processes: one wakes devices at the exact time of what concerns
/// them, and one, after all initiators of an instant, lets the fabric compute up to the next time at which anybody
/// could submit something (`quantum` at most).
class Shell final : public sc_core::sc_module {
 public:
  /// The reactor has to be prepared when the simulation starts.
  Shell(const sc_core::sc_module_name& name, loop::Reactor& reactor, Duration quantum);
  ~Shell() override;

  /// Asked before each batch: whether a process outside of the reactor may submit something at the next SystemC event.
  void heed(std::function<bool()> others_act) { others_act_ = std::move(others_act); }

  /// Something was submitted from outside of the two processes.
  void submitted();
  /// Something was asked of the reactor from outside of the two processes.
  void touch();
  /// Computes what is left until SystemC's present, so that counters are those of now.
  void settle();

 private:
  void wake_devices();
  void compute();
  void arm_wake(Instant next, Instant present);
  Instant limit() const;

  loop::Reactor& reactor_;
  Duration quantum_;
  std::function<bool()> others_act_;
  sc_core::sc_event wake_, go_;
  Instant wake_time_ = never;
  bool idle_ = false;
};

}  // namespace peerpath::sc
