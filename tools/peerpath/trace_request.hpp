// --trace and what belongs to it.
#pragma once

#include <optional>

#include "observe/trace/tracer.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "tools/peerpath/command.hpp"

namespace peerpath::cli {

/// What the command line wants traced: no formats if nothing. nullopt, and said why, if it is wrong.
std::optional<trace::Request> trace_request(const Arguments& arguments, const scenario::Scenario& scenario,
                                            const Terminal& terminal);

}  // namespace peerpath::cli
