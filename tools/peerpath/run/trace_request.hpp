// --trace and what belongs to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "observe/trace/tracer.hpp"
#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// What the command line wants traced; no formats: nothing.
struct TraceArguments {
  std::vector<const trace::Format*> formats;
  Duration from{};
  std::optional<Duration> length{};  ///< none: to the end of the run
  std::vector<std::string> links;
  bool picoseconds = false;
};

/// nullopt, and said why, if it is wrong.
std::optional<TraceArguments> trace_arguments(const Arguments& arguments, const Terminal& terminal);

/// The trace of a run that ends at `end`; nullopt, and said why, if it would begin later.
std::optional<trace::Request> trace_request(const TraceArguments& wanted, Instant end, const Terminal& terminal);

}  // namespace peerpath::cli
