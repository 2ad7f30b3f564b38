#include "tools/peerpath/run/run_network.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "peerpath/base/part_file.hpp"
#include "platform/network/run.hpp"
#include "scenario/network/window.hpp"
#include "scenario/network/write.hpp"
#include "tools/peerpath/command_line/interrupt.hpp"
#include "tools/peerpath/command_line/version.hpp"
#include "tools/peerpath/command_line/whole_number.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/run/launcher.hpp"
#include "tools/peerpath/run/mpi_ranks.hpp"
#include "tools/peerpath/run/network_document.hpp"
#include "tools/peerpath/run/network_table.hpp"
#include "tools/peerpath/run/progress.hpp"
#include "tools/peerpath/run/rank_agreement.hpp"
#include "tools/peerpath/run/run_output.hpp"
#include "tools/peerpath/run/trace_request.hpp"
#include "tools/peerpath/what_if/network_what_if.hpp"

namespace peerpath::cli {
namespace {

/// Options that speak of PCIe, or of who else could run a scenario.
constexpr std::array<std::string_view, 7> of_pcie{"--kernel",         "--quantum",     "--fabric", "--loop",
                                                  "--check-protocol", "--trace-scale", "--profile"};

bool refuses(const Arguments& arguments, const Terminal& terminal) {
  if (const auto on = arguments.value("--on").value_or("model"); on != "model") {
    terminal.error("a network scenario runs on the model only, not on " + on);
    return true;
  }
  for (const auto option : of_pcie) {
    if (!arguments.has(option)) continue;
    terminal.error(std::string{option} + " requires a PCIe scenario; this is a network scenario");
    return true;
  }
  return false;
}

/// A capture of frames, and the file that it goes to.
struct Capturing {
  std::string_view name;  ///< of the file in the end
  PartFile part;
  network_run::CaptureRequest request;
};

/// The capture that is asked for, if one is; nullopt, and said why, if it is asked for wrongly.
std::optional<std::optional<Capturing>> capture_of(const Arguments& arguments, const network_scenario::Loaded& loaded,
                                                   const Terminal& terminal) {
  const auto traced = trace_request(arguments, Instant{longest_run(loaded.scenario)}, terminal);
  if (!traced) return std::nullopt;
  if (traced->formats.empty()) return std::optional<Capturing>{};
  for (const auto* format : traced->formats) {
    if (format->name == "pcapng") continue;
    terminal.error("with a network scenario, --trace supports pcapng only, not " + std::string{format->name});
    return std::nullopt;
  }
  const auto folder = output_folder(arguments, loaded.scenario.name);
  if (!make_folder(folder, terminal)) return std::nullopt;
  const auto name = traced->formats.front()->file;
  PartFile part{folder / name};
  if (part.path().empty()) {
    terminal.error("cannot write " + (folder / name).string() + ": " + std::strerror(errno));
    return std::nullopt;
  }
  network_run::CaptureRequest request{part.path(), traced->program, traced->links, traced->window, traced->end};
  return Capturing{name, std::move(part), std::move(request)};
}

/// Notes the file in the record, or says that the disk could not hold it.
bool finish_capture(const Capturing& capturing, const network_run::Outcome& outcome, RunRecord& record,
                    const Terminal& terminal) {
  if (!outcome.captured) {
    terminal.error(std::string{capturing.name} + ": the trace could not be written completely; is the disk full?");
    return false;
  }
  record.traces.push_back({capturing.part.path(), std::string{capturing.name},
                           std::to_string(*outcome.captured) + (*outcome.captured == 1 ? " frame" : " frames")});
  return true;
}

/// Options of the run for one of several ranks; an error is a sentence.
tl::expected<std::unique_ptr<network_run::Ranks>, std::string> ranks_of(const Arguments& arguments) {
  const auto rank = launcher_rank(&std::getenv);
  if (!rank) return nullptr;
  if (arguments.has("--trace"))
    return tl::unexpected{std::string{"--trace works with a single process: run without the launcher"}};
  if (arguments.has("--what-if"))
    return tl::unexpected{std::string{"--what-if starts processes of its own: run without the launcher"}};
  return join_ranks(*rank);
}

}  // namespace

bool speaks_for_all() {
  const auto rank = launcher_rank(&std::getenv);
  return !rank || rank->number == 0;
}

Exit run_network(const Arguments& arguments, const network_scenario::Loaded& loaded, InputFiles inputs,
                 Terminal& terminal) {
  const bool speaks = speaks_for_all();
  if (!speaks) terminal.set_quiet(true);
  if (refuses(arguments, terminal)) return Exit::wrong_input;
  const auto ranks = ranks_of(arguments);
  if (!ranks) {
    if (speaks) terminal.error(ranks.error());
    return Exit::wrong_input;
  }
  if (*ranks) {
    const auto why = disagreement(**ranks, network_scenario::written(loaded.scenario).dump());
    if (!why.empty() && speaks) terminal.error(why);
    if (!why.empty()) return Exit::wrong_input;
  }
  const auto capture = capture_of(arguments, loaded, terminal);
  const auto jobs = jobs_of(arguments, terminal);
  if (!capture || !jobs) return Exit::wrong_input;
  RunRecord record;
  record.inputs = std::move(inputs);
  record.scenario_file = loaded.file;
  record.fabric.clear();
  record.started = std::chrono::system_clock::now();
  const auto begin = std::chrono::steady_clock::now();
  auto ran = [&] {
    const InterruptGuard guard;
    Progress progress{terminal};
    return network_run::run(loaded, {.progress = [&](Duration now, Duration most) { progress.update(now, most); },
                                     .stop = [&guard] { return guard.interrupted(); },
                                     .capture = *capture ? std::optional{(*capture)->request} : std::nullopt,
                                     .ranks = ranks->get()});
  }();
  if (!ran) {
    if (speaks) terminal.report(ran.error());
    return Exit::wrong_input;
  }
  if (!speaks) return Exit::done;
  auto& outcome = *ran;
  if (*capture && !finish_capture(**capture, outcome, record, terminal)) return Exit::wrong_input;
  record.wall = std::chrono::steady_clock::now() - begin;
  record.simulated = outcome.results.warmup + outcome.results.window;
  const bool proven = !arguments.has("--what-if") || !outcome.results.complete ||
                      watch_reruns(*jobs, terminal, [&](const WhatIfOptions& options) {
                        return prove_network(outcome, loaded, load_options(arguments), options);
                      });
  record.exit = static_cast<int>(proven ? verdict(outcome.results) : Exit::interrupted);
  return publish(arguments,
                 Publication{loaded.scenario.name, network_document(loaded, outcome, std::string{version()})},
                 outcome.results, record, network_table(loaded, outcome, terminal), terminal);
}

}  // namespace peerpath::cli
