#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "peerpath/base/nearest.hpp"
#include "peerpath/observe/finish.hpp"
#include "peerpath/sc/run.hpp"
#include "peerpath/scenario/window.hpp"
#include "scenario/write.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/interrupt.hpp"
#include "tools/peerpath/command_line/whole_number.hpp"
#include "tools/peerpath/files/network_files.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/run/backends.hpp"
#include "tools/peerpath/run/launcher.hpp"
#include "tools/peerpath/run/mpi_ranks.hpp"
#include "tools/peerpath/run/profile.hpp"
#include "tools/peerpath/run/progress.hpp"
#include "tools/peerpath/run/rank_agreement.hpp"
#include "tools/peerpath/run/result_table.hpp"
#include "tools/peerpath/run/run_network.hpp"
#include "tools/peerpath/run/run_on_emulator.hpp"
#include "tools/peerpath/run/run_on_hardware.hpp"
#include "tools/peerpath/run/run_output.hpp"
#include "tools/peerpath/run/run_record.hpp"
#include "tools/peerpath/run/trace_request.hpp"
#include "tools/peerpath/what_if/what_if.hpp"

namespace peerpath::cli {
namespace {

template <class Names>
void refuse(const Terminal& terminal, std::string_view option, const std::string& word, const Names& names) {
  const auto near = nearest(word, names);
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string{name};
  terminal.error(std::string{option} + " takes " + all + ", not '" + word + "'" +
                 (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

/// Done if the backend can be used.
Exit choose_backend(const Arguments& arguments, const Terminal& terminal) {
  const auto name = arguments.value("--on").value_or("model");
  for (const auto& backend : backends()) {
    if (backend.name != name) continue;
    if (backend.built_in()) return Exit::done;
    return waive(arguments, {std::string{backend.missing}}, {}, terminal);
  }
  std::vector<std::string_view> names;
  for (const auto& backend : backends()) names.push_back(backend.name);
  refuse(terminal, "--on", name, names);
  return Exit::wrong_input;
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

/// What may drive the model; the first is taken if nobody says anything.
struct Loop {
  std::string_view name;
  tl::expected<observe::Results, Problems> (*run)(const scenario::Scenario&, const platform::RunOptions&);
};
constexpr std::array loops{Loop{"systemc", sc::run_model}, Loop{"plain", platform::run}};

const Loop* choose_loop(const Arguments& arguments, const Terminal& terminal) {
  const auto name = arguments.value("--loop").value_or(std::string{loops.front().name});
  std::vector<std::string_view> names;
  for (const auto& loop : loops) {
    if (loop.name == name) return &loop;
    names.push_back(loop.name);
  }
  refuse(terminal, "--loop", name, names);
  return nullptr;
}

tl::expected<observe::Results, Problems> simulate(const scenario::Loaded& loaded, const Loop& loop, fabric::Mode mode,
                                                  bool check_protocol, trace::Tracer* tracer, Profile* profile,
                                                  const Terminal& terminal) {
  const InterruptGuard guard;
  Progress progress{terminal};
  platform::RunOptions options;
  options.mode = mode;
  options.check_protocol = check_protocol;
  options.captures = loaded.captures;
  options.progress = [&progress](const platform::Progress& p) { progress.update(p.simulated, p.total); };
  options.stop = [&guard] { return guard.interrupted(); };
  if (tracer != nullptr) options.trace = tracer;
  options.built = [&](const observe::Scene& scene) {
    if (profile != nullptr) profile->built(scene);
    return tracer != nullptr ? tracer->built(scene) : Problems{};
  };
  if (tracer != nullptr || profile != nullptr)
    options.guide = [&](device::Endpoint& device, const device::Place& place) -> device::Endpoint& {
      auto& seen = tracer != nullptr ? tracer->guide(device, place) : device;
      return profile != nullptr ? profile->guide(seen, place) : seen;
    };
  return loop.run(loaded.scenario, options);
}

/// Whether another rank of mpirun runs this scenario, or should run none of this kind: rank 0 alone runs a scenario of
/// PCIe. Nothing if this process is to run it.
std::optional<Exit> left_to_rank_0(const scenario::Loaded& loaded, const Terminal& terminal) {
  const auto rank = launcher_rank(&std::getenv);
  if (!rank || std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return std::nullopt;
  const auto ranks = join_ranks(*rank);
  if (!ranks) return std::nullopt;  // without Open MPI's library each process is by itself
  const auto why = disagreement(**ranks, scenario::written(loaded.scenario).dump());
  if (why.empty()) return rank->number == 0 ? std::nullopt : std::optional{Exit::done};
  if (rank->number == 0) terminal.error(why);
  return Exit::wrong_input;
}

}  // namespace

Exit run(const Arguments& arguments, Terminal& terminal) {
  const auto backend = choose_backend(arguments, terminal);
  const auto mode = choose_fabric(arguments, terminal);
  const auto* loop = choose_loop(arguments, terminal);
  const bool prove_it = arguments.has("--what-if");
  const auto jobs = jobs_of(arguments, terminal);
  InputFiles inputs;
  if (const auto network = load_network(arguments.words().front(), arguments, &inputs)) {
    if (*network) return run_network(arguments, **network, std::move(inputs), terminal);
    if (speaks_for_all()) terminal.report(network->error());
    return Exit::wrong_input;
  }
  const auto loaded = load_scenario(arguments.words().front(), arguments, terminal, false, &inputs);
  if (!loaded || !mode || loop == nullptr || !jobs || backend == Exit::wrong_input) return Exit::wrong_input;
  if (backend != Exit::done) return backend;
  const auto on = arguments.value("--on").value_or("model");
  for (const std::string_view option : {"--trace", "--profile", "--what-if"}) {
    if (on == "model" || !arguments.has(option) || (on == "emulator" && option == "--trace")) continue;
    terminal.error(std::string{option} + " requires the model; it is not available with --on " + on + " there is none");
    return Exit::wrong_input;
  }
  if (on != "emulator" && arguments.has("--kernel")) {
    terminal.error("--kernel is the emulator's guest's: it goes with --on emulator");
    return Exit::wrong_input;
  }
  if (const auto exit = left_to_rank_0(*loaded, terminal)) return *exit;
  if (on == "hardware") return run_on_hardware(arguments, *loaded, terminal);
  if (on == "emulator") return run_on_emulator(arguments, *loaded, std::move(inputs), terminal);

  const auto traced = trace_request(arguments, Instant{scenario::longest_run(loaded->scenario)}, terminal);
  if (!traced) return Exit::wrong_input;
  std::optional<trace::Tracer> tracer;
  if (!traced->formats.empty()) {
    const auto folder = output_folder(arguments, loaded->scenario);
    if (!make_folder(folder, terminal)) return Exit::wrong_input;
    tracer.emplace(*traced, folder);
  }

  std::optional<Profile> profile;
  if (arguments.has("--profile")) profile.emplace();

  RunRecord record;
  record.inputs = std::move(inputs);
  record.fabric = name_of(*mode);
  record.loop = loop->name;
  record.started = std::chrono::system_clock::now();
  const auto begin = std::chrono::steady_clock::now();
  auto simulated = simulate(*loaded, *loop, *mode, arguments.has("--check-protocol"), tracer ? &*tracer : nullptr,
                            profile ? &*profile : nullptr, terminal);
  record.wall = std::chrono::steady_clock::now() - begin;
  if (!simulated) {
    report_located(simulated.error(), *loaded, terminal);
    return Exit::wrong_input;
  }
  auto& results = *simulated;
  const auto unknown = observe::finish(results, loaded->scenario);
  const bool proven =
      !prove_it || !unknown.empty() || !results.complete ||
      watch_reruns(*jobs, terminal, [&](const WhatIfOptions& options) { return prove(results, *loaded, options); });
  const auto exit = report_located(unknown, *loaded, terminal) > 0 ? Exit::wrong_input
                    : !proven                                      ? Exit::interrupted
                                                                   : verdict(results);
  record.simulated = results.warmup + results.window;
  record.exit = static_cast<int>(exit);
  record.protocol = results.protocol;
  if (tracer && !finish_trace(*tracer, record, terminal)) return Exit::wrong_input;
  if (profile) terminal.say("wall time of the simulation:\n" + profile->text(record.wall));

  return publish(arguments, *loaded, results, record, result_table(results, loaded->scenario, terminal), terminal);
}

}  // namespace peerpath::cli
