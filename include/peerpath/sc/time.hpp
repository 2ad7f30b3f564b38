// SystemC time and peerpath's: both count whole femtoseconds.
#pragma once

#include <systemc>

#include "peerpath/base/fail.hpp"
#include "peerpath/base/time.hpp"

namespace peerpath::sc {

/// Sets SystemC's time resolution to 1 fs. Call it first in sc_main, before any sc_time is made: SystemC allows it
/// once.
inline void set_femtosecond_resolution() { sc_core::sc_set_time_resolution(1, sc_core::SC_FS); }

/// Whether SystemC counts in femtoseconds, as all of this library needs.
inline bool femtosecond_resolution() { return sc_core::sc_time{1, sc_core::SC_FS}.value() == 1; }

/// A span as SystemC counts it; it must not be negative.
inline sc_core::sc_time to_sc_time(Duration span) {
  return sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(span.count()));
}

/// A SystemC span, exact; beyond 2.5 hours our own int64 would overflow.
inline Duration to_duration(const sc_core::sc_time& span) {
  const auto value = static_cast<std::int64_t>(span.value());
  require(value >= 0, "a SystemC time beyond the range of int64 femtoseconds (2.5 h)");
  return Duration{value};
}

/// SystemC's present.
inline Instant now() { return Instant{to_duration(sc_core::sc_time_stamp())}; }

}  // namespace peerpath::sc
