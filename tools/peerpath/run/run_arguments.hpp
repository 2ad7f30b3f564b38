// The command line of `peerpath run`, read once.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "peerpath/fabric/fabric.hpp"
#include "study/run_request.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/run/trace_request.hpp"

namespace peerpath::cli {

/// Where results go.
struct OutputArguments {
  std::optional<std::filesystem::path> folder{};  ///< none: one below peerpath-out
  bool json = false;                              ///< the document on standard output, and no report
  bool report = false;                            ///< a report all the same
};

/// What can drive the model; the first is taken if nobody says anything.
struct NamedLoop {
  std::string_view name;
  study::Loop run;
};

std::span<const NamedLoop> loops();

struct RunArguments {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string backend;
  fabric::Mode mode = fabric::Mode::train;
  const NamedLoop* loop = nullptr;
  bool check_protocol = false;
  bool profile = false;
  bool what_if = false;
  int jobs = 1;  ///< reruns at a time
  TraceArguments trace;
  std::optional<std::string> kernel{};  ///< of the emulator's guest
  OutputArguments output;
};

/// nullopt, and said why, if it is wrong.
std::optional<RunArguments> run_arguments(const Arguments& arguments, const Terminal& terminal);

}  // namespace peerpath::cli
