// For how long nothing that is not known yet can interfere with a transmitter.
#pragma once

#include <algorithm>

#include "fabric/engine/state.hpp"

namespace peerpath::fabric::engine {

/// Bounds on what is to come. Each is a time before which an event surely does not happen; sooner than true costs only
/// shorter trains, later than true is wrong. `now` is the time of the decision that is being carried out: everything
/// that starts before it is known, but for what waits for the next `advance`.
class Lookahead {
 public:
  explicit Lookahead(const State& state) : s_{state} {}

  /// What waits in `fifo`, which starts on `x` at `now`, may go on up to (not including) this time without regard to
  /// anybody who is not known yet. The last of its first run starts at `last`; what comes after `wanted` does not
  /// matter.
  Femto foreseen_until(const Transmitter& x, const Fifo& fifo, Femto now, Femto last, Femto wanted) const;

  /// No start on `x` that is not known at `now` comes before this. What starts on its reverse before `quiet` makes
  /// nobody react.
  Femto next_start(const Transmitter& x, Femto now, Femto quiet) const {
    if (x.peer->endpoint == nullptr || x.peer->endpoint->inbound != 0 || s_.may_stray)
      return next_start_of_all(x, now, quiet);
    // Only something yet to be submitted can come here.
    return s_.notices_coming == 0 ? s_.horizon : std::min(s_.horizon, earliest_reaction(now));
  }
  Femto next_start_before(const Transmitter& x, Femto now, Femto quiet, Femto wanted) const;

 private:
  Femto next_start_of_all(const Transmitter& x, Femto now, Femto quiet) const;
  Femto next_arrival(const Transmitter& x, const Fifo* fifo, Femto now) const;
  Femto next_dllp(const Transmitter& x, Femto now, Femto quiet, Femto wanted) const;
  Femto earliest_arrival(const EndpointState& endpoint, Femto now, Femto quiet) const;
  Femto earliest_stimulus(const EndpointState& endpoint, Femto now, Femto quiet, const Fifo* sending = nullptr,
                          Femto last = 0) const {
    if (s_.notices_coming == 0 && endpoint.requests_coming == 0 && !s_.may_stray) return unknown_time;
    const Femto when = earliest_of_stimuli(endpoint, now, quiet);
    return endpoint.sends_coming == 0 ? when : std::min(when, earliest_after_send(endpoint, now, sending, last));
  }
  Femto earliest_of_stimuli(const EndpointState& endpoint, Femto now, Femto quiet) const;
  Femto earliest_after_send(const EndpointState& endpoint, Femto now, const Fifo* sending, Femto last) const;
  Femto earliest_reaction(Femto now) const;

  const State& s_;
};

}  // namespace peerpath::fabric::engine
