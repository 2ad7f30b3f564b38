#include "tools/peerpath/run/run_on_emulator.hpp"

#include <fstream>
#include <memory>
#include <optional>

#include "peerpath/observe/finish.hpp"
#include "study/located.hpp"
#include "study/pcie/subject.hpp"
#include "tools/peerpath/command_line/exit.hpp"
#include "tools/peerpath/command_line/interrupt.hpp"
#include "tools/peerpath/command_line/version.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/run/guest_equipment.hpp"
#include "tools/peerpath/run/run_output.hpp"
#include "tools/peerpath/run/trace_request.hpp"
#include "tools/peerpath/run/transfer_table.hpp"
#include "validation/emulator/capture.hpp"
#include "validation/emulator/emulate.hpp"

namespace peerpath::cli {
namespace {

/// Opens the capture that the command line asks for; none if it asks for none. nullopt, and said why, if it is wrong.
std::optional<std::unique_ptr<trace::Tracer>> open_capture(const RunArguments& wanted, const scenario::Loaded& loaded,
                                                           const Terminal& terminal) {
  const auto request = trace_request(wanted.trace, never, terminal);
  if (!request) return std::nullopt;
  if (request->formats.empty()) return nullptr;
  for (const auto* format : request->formats) {
    if (format->name == "pcapng") continue;
    terminal.error("--trace " + std::string{format->name} +
                   " requires the model's timing; with --on emulator use pcapng");
    return std::nullopt;
  }
  const auto folder = output_folder(wanted.output, loaded.scenario.name);
  if (!make_folder(folder, terminal)) return std::nullopt;
  auto tracer = std::make_unique<trace::Tracer>(*request, folder);
  if (terminal.report(tracer->built(emulator::scene_of(loaded.scenario))) > 0) return std::nullopt;
  return tracer;
}

Problems located(Problems problems, const scenario::Loaded& loaded) {
  for (auto& problem : problems) problem = study::located(problem, loaded);
  return problems;
}

/// What the devices have written down, as a capture; false, and said why, if it cannot be made.
bool write_capture(trace::Tracer& tracer, const std::filesystem::path& lines, const scenario::Scenario& scenario,
                   RunRecord& record, const Terminal& terminal) {
  std::ifstream in{lines};
  const auto problem = emulator::replay_trace(in, emulator::scene_of(scenario), tracer);
  if (!problem.empty()) return terminal.error(lines.string() + ": " + problem), false;
  std::vector<study::TraceFile> files;
  for (const auto& file : tracer.finish()) files.push_back({file.written, file.name, file.what, file.whole});
  return take_traces(files, record, terminal);
}

}  // namespace

Waiver missing_for_emulator(const RunArguments& /*wanted*/, const study::Subject& /*subject*/) {
  const auto equipment = emulator::find_equipment();
  return equipment ? Waiver{} : Waiver{{equipment.error()}, {}, {}};
}

Exit run_on_emulator(RunTask task, Terminal& terminal) {
  const auto& wanted = task.wanted;
  const auto& loaded = *task.subject.host();
  const auto equipment = guest_equipment(wanted.kernel, wanted.output, terminal);
  if (!equipment) return equipment.error();
  const auto capture = open_capture(wanted, loaded, terminal);
  if (!capture) return Exit::wrong_input;
  const InterruptGuard guard;
  emulator::RunOptions options;
  options.folder = output_folder(wanted.output, loaded.scenario.name) / "emulator";
  if (*capture) options.trace = options.folder / "trace.jsonl";
  options.stop = [&guard] { return guard.interrupted(); };
  options.console = [&terminal](const std::string& line) { terminal.say("guest: " + line); };

  RunRecord record;
  record.inputs = std::move(task.inputs);
  add_captures(loaded.captures, record.inputs);
  record.scenario_file = loaded.file;
  record.quantum = task.subject.quantum();
  record.backend = "emulator";
  record.fabric = "none";
  record.processor = equipment->processor;
  record.kernel = equipment->release;
  record.started = std::chrono::system_clock::now();
  const auto begin = std::chrono::steady_clock::now();
  auto outcome = emulator::run_emulator(loaded.scenario, *equipment, options);
  record.wall = std::chrono::steady_clock::now() - begin;
  if (!outcome) {
    if (!outcome.error().guest.empty()) {
      terminal.error(outcome.error().guest);
      return Exit::expectation_failed;
    }
    terminal.report(located(outcome.error().problems, loaded));
    return Exit::wrong_input;
  }
  if (*capture && !write_capture(**capture, options.trace, loaded.scenario, record, terminal)) return Exit::wrong_input;
  auto& results = outcome->results;
  const auto unknown = observe::finish(results, loaded.scenario);
  results.expectations.insert(results.expectations.begin(), outcome->requirements.begin(), outcome->requirements.end());
  const auto exit =
      terminal.report(located(unknown, loaded)) > 0 ? Exit::wrong_input : exit_of(study::verdict(results));
  record.exit = static_cast<int>(exit);
  return publish(wanted.output, {loaded.scenario.name, study::pcie_document(results, loaded, std::string{version()})},
                 results, record, transfer_table(results, loaded.scenario, terminal), terminal);
}

}  // namespace peerpath::cli
