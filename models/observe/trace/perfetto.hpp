// A timeline of all devices and links for ui.perfetto.dev.
#pragma once

#include <memory>

#include "observe/trace/formats.hpp"

namespace peerpath::trace {

/// Tracks: each link with its two directions (a slice a TLP); each device that asks, with a slice a transaction from
/// the time at which it is ready until its last TLP has come in; each core; each Ethernet port. Flows join a
/// transaction with its TLPs on every link, and the NIC's reads of descriptors with the completion entries of the same
/// places of their ring. Counters: requests outstanding (tags), header credits in use of each direction and class,
/// bytes in the receive FIFO.
///
/// A nanosecond of the trace is a simulated nanosecond, or picosecond with `Subject::picoseconds`: the format has
/// nothing finer, and a TLP takes few of the former.
std::unique_ptr<Sink> make_perfetto(std::ostream& out, const Subject& subject);

}  // namespace peerpath::trace
