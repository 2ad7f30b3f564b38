// What the emulator's devices wrote down of a run, as captures that Wireshark reads.
#pragma once

#include <filesystem>
#include <string>

#include <tl/expected.hpp>

#include "observe/trace/tracer.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::emulator {

/// Nodes and links of the scenario as the ledger names them, host memory at its root complex among them. Rates are 0:
/// the emulator's devices have none.
observe::Scene scene_of(const scenario::Scenario& scenario);

/// Shows the tracer, which has been built for `scene`, each TLP of each line of a `trace=FILE` (qemu-devices/README.md)
/// on each link that it crossed, and each frame. All TLPs of an access have the guest's time at which QEMU carried it
/// out, in the order in which they would cross. Requests are cut at the MPS and MRRS that the guest had set,
/// completions at MPS. A tag is the number of the request at its requester, modulo 256. Or one sentence with the line
/// that is wrong.
std::string replay_trace(std::istream& lines, const observe::Scene& scene, trace::Tracer& tracer);

}  // namespace peerpath::emulator
