// Signals over time for GTKWave and its kin (value change dump, IEEE 1800 clause 21.7).
#pragma once

#include <memory>

#include "observe/trace/formats.hpp"

namespace peerpath::trace {

/// A scope for each link with, for each direction, the class of the TLP on the line (0 none, 1 posted, 2 non-posted, 3
/// completion) and its bytes of data; a scope for each device that asks, with its requests outstanding and, of a NIC,
/// the bytes in its receive FIFO. Whole femtoseconds. SystemC's own writer follows the time of its kernel, in which a
/// run of the model is one event a quantum.
std::unique_ptr<Sink> make_vcd(std::ostream& out, const Subject& subject);

}  // namespace peerpath::trace
