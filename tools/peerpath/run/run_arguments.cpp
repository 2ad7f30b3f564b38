#include "tools/peerpath/run/run_arguments.hpp"

#include <algorithm>
#include <array>

#include "peerpath/sc/run.hpp"
#include "tools/peerpath/command_line/whole_number.hpp"

namespace peerpath::cli {

std::span<const NamedLoop> loops() {
  static constexpr std::array all{NamedLoop{"systemc", sc::run_model}, NamedLoop{"plain", platform::run}};
  return all;
}

std::optional<RunArguments> run_arguments(const Arguments& arguments, const Terminal& terminal) {
  RunArguments wanted;
  wanted.scenario = arguments.words().front();
  wanted.overrides = arguments.overrides();
  wanted.backend = arguments.value("--on").value_or("model");
  for (const auto& mode : enum_names(fabric::Mode{}))
    if (mode.name == arguments.value("--fabric").value_or("train")) wanted.mode = mode.value;
  wanted.loop = &loops().front();
  if (const auto name = arguments.value("--loop")) wanted.loop = &*std::ranges::find(loops(), *name, &NamedLoop::name);
  const auto jobs = jobs_of(arguments.value("--jobs"), terminal);
  auto trace = trace_arguments(arguments, terminal);
  if (!jobs || !trace) return std::nullopt;
  wanted.check_protocol = arguments.has("--check-protocol");
  wanted.profile = arguments.has("--profile");
  wanted.what_if = arguments.has("--what-if");
  wanted.jobs = *jobs;
  wanted.trace = std::move(*trace);
  wanted.kernel = arguments.value("--kernel");
  wanted.output = {arguments.value("--out"), arguments.has("--json"), arguments.has("--report")};
  return wanted;
}

}  // namespace peerpath::cli
