// --trace and what belongs to it.
#pragma once

#include <optional>

#include "observe/trace/tracer.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/run/run_record.hpp"

namespace peerpath::cli {

/// What the command line wants traced of a run that ends at `end`: no formats if nothing. nullopt, and said why, if it
/// is wrong.
std::optional<trace::Request> trace_request(const Arguments& arguments, Instant end, const Terminal& terminal);

/// Ends the files of a trace and notes them in the record; false, and said why, if one of them could not be written.
bool finish_trace(trace::Tracer& tracer, RunRecord& record, const Terminal& terminal);

}  // namespace peerpath::cli
