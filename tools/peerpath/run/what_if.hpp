// --what-if: the reruns of a scenario, several at a time, each in a process of its own.
#pragma once

#include "study/outcome.hpp"
#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

/// Plays the reruns with a line for who watches, and puts into the outcome what they show. False if an interrupt has
/// stopped them.
bool prove(study::Outcome& outcome, int jobs, const Terminal& terminal);

}  // namespace peerpath::cli
