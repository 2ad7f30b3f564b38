// What fast-forwarding does with the steps that are known (engine_fast_forward.cpp, engine_ask.cpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "fabric/engine.hpp"
#include "fabric/recurrence.hpp"

namespace peerpath::fabric {

/// Steps that follow one another.
struct Engine::FastForward {
  Engine& engine;
  Recurrence& r;
  bool unlike = false;  ///< other transactions come than then
  bool moved = false;   ///< the domain stands at a later state than before

  recurrence::Step& step_from(int state) const { return r.states[static_cast<std::size_t>(state)].step; }
  std::uint32_t record_at(const recurrence::Place& place) const {
    const auto& flow = r.flows[place.flow];
    return flow[flow.delivered + place.rank];
  }
  /// How many times from `first` on at `spacing` come before `end`.
  static std::int32_t before(Femto end, Femto first, Femto spacing, std::int32_t count) {
    if (first >= end) return 0;
    return spacing == 0 ? count : static_cast<std::int32_t>(std::min<Femto>(count, (end - 1 - first) / spacing + 1));
  }

  void begin(int state, Femto now);
  bool go_on(bool may_lag);
  void finish();

  bool comes(const recurrence::Coming& next, const recurrence::Flow& flow, Femto now) const;
  bool all_come(const recurrence::Step& step, Femto now, Femto end);
  bool ask_all(recurrence::Step& step);
  bool ask_whole(recurrence::Step& step);
  bool ask_alike(const recurrence::Step& step, Femto now, Femto until);
  void add_alike(const recurrence::Step& step, const recurrence::Questions& all, Femto now, Femto until);
  void use(int transmitter, std::int64_t tlps);
  void expect(int transmitter, Femto delay, std::int64_t tlps);
  bool ask(const recurrence::Question& q, Femto now, std::int32_t count);
  GatedTlp tlp_of(const recurrence::Gated& q, Femto at) const;
  void deliver(std::uint32_t record, Femto done);
  void book(const recurrence::Step& step);
  void count_all();
  void move_on(const recurrence::Step& step, int times);
  bool look_ahead();
  bool part_comes(const recurrence::Step& step, Femto now);
  bool ask_part(const recurrence::Step& step, Femto now);
  void tell_part(const recurrence::Step& step, Femto now);
  template <class See>
  bool each_part(See&& see);
};

}  // namespace peerpath::fabric
