#include "tools/peerpath/run/run_arguments.hpp"

#include <algorithm>
#include <array>

#include "peerpath/base/nearest.hpp"
#include "peerpath/sc/run.hpp"
#include "tools/peerpath/command_line/whole_number.hpp"
#include "tools/peerpath/run/backends.hpp"

namespace peerpath::cli {
namespace {

constexpr std::array loops{NamedLoop{"systemc", sc::run_model}, NamedLoop{"plain", platform::run}};

template <class Names>
void refuse(const Terminal& terminal, std::string_view option, const std::string& word, const Names& names) {
  const auto near = nearest(word, names);
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string{name};
  terminal.error(std::string{option} + " takes " + all + ", not '" + word + "'" +
                 (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

bool is_backend(const std::string& name, const Terminal& terminal) {
  std::vector<std::string_view> names;
  for (const auto& backend : backends()) names.push_back(backend.name);
  if (std::ranges::find(names, name) != names.end()) return true;
  refuse(terminal, "--on", name, names);
  return false;
}

std::optional<fabric::Mode> choose_fabric(const Arguments& arguments, const Terminal& terminal) {
  const auto name = arguments.value("--fabric").value_or("train");
  std::vector<std::string_view> names;
  for (const auto& mode : enum_names(fabric::Mode{})) {
    if (mode.name == name) return mode.value;
    names.push_back(mode.name);
  }
  refuse(terminal, "--fabric", name, names);
  return std::nullopt;
}

const NamedLoop* choose_loop(const Arguments& arguments, const Terminal& terminal) {
  const auto name = arguments.value("--loop").value_or(std::string{loops.front().name});
  std::vector<std::string_view> names;
  for (const auto& loop : loops) {
    if (loop.name == name) return &loop;
    names.push_back(loop.name);
  }
  refuse(terminal, "--loop", name, names);
  return nullptr;
}

}  // namespace

std::optional<RunArguments> run_arguments(const Arguments& arguments, const Terminal& terminal) {
  RunArguments wanted;
  wanted.scenario = arguments.words().front();
  wanted.overrides = arguments.overrides();
  wanted.backend = arguments.value("--on").value_or("model");
  const bool has_backend = is_backend(wanted.backend, terminal);
  const auto mode = choose_fabric(arguments, terminal);
  wanted.loop = choose_loop(arguments, terminal);
  const auto jobs = jobs_of(arguments, terminal);
  auto trace = trace_arguments(arguments, terminal);
  if (!has_backend || !mode || wanted.loop == nullptr || !jobs || !trace) return std::nullopt;
  wanted.mode = *mode;
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
