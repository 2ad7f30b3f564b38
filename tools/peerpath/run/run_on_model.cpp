#include "tools/peerpath/run/run_on_model.hpp"

#include "study/run.hpp"
#include "tools/peerpath/command_line/exit.hpp"
#include "tools/peerpath/command_line/interrupt.hpp"
#include "tools/peerpath/command_line/version.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/run/profile.hpp"
#include "tools/peerpath/run/progress.hpp"
#include "tools/peerpath/run/run_output.hpp"
#include "tools/peerpath/run/what_if.hpp"

namespace peerpath::cli {
namespace {

/// The traces that are asked for, if any are; nullopt, and said why, if this scenario cannot have them.
std::optional<std::optional<study::Tracing>> tracing_of(const RunTask& task, const Terminal& terminal) {
  const auto& [wanted, subject, inputs, ranks, speaks] = task;
  auto request = trace_request(wanted.trace, subject.end(), terminal);
  if (!request) return std::nullopt;
  if (request->formats.empty()) return std::optional<study::Tracing>{};
  for (const auto* format : request->formats) {
    if (subject.can_trace(*format)) continue;
    std::string all;
    for (const auto& each : trace::formats())
      if (subject.can_trace(each)) all += (all.empty() ? "" : ", ") + std::string{each.name};
    terminal.error("with a " + std::string{subject.kind()} + " scenario, --trace supports " + all + " only, not " +
                   std::string{format->name});
    return std::nullopt;
  }
  const auto folder = output_folder(wanted.output, subject.name());
  if (!make_folder(folder, terminal)) return std::nullopt;
  return study::Tracing{std::move(*request), folder};
}

tl::expected<study::OutcomePtr, Problems> played(const RunTask& task, std::optional<study::Tracing> tracing,
                                                 Profile* profile, const Terminal& terminal) {
  const InterruptGuard guard;
  Progress progress{terminal};
  study::RunRequest request;
  request.progress = [&](Duration simulated, Duration total) { progress.update(simulated, total); };
  request.stop = [&guard] { return guard.interrupted(); };
  request.tracing = std::move(tracing);
  request.loop = task.wanted.loop->run;
  request.mode = task.wanted.mode;
  request.check_protocol = task.wanted.check_protocol;
  request.ranks = task.ranks;
  if (profile != nullptr) {
    request.built = [profile](const observe::Scene& scene) { profile->built(scene); };
    request.guide = [profile](device::Endpoint& device, const device::Place& place) -> device::Endpoint& {
      return profile->guide(device, place);
    };
  }
  return study::run(task.subject, request);
}

}  // namespace

Waiver needs_nothing(const RunArguments& /*wanted*/, const study::Subject& /*subject*/) { return {}; }

Exit run_on_model(RunTask task, Terminal& terminal) {
  const auto& wanted = task.wanted;
  const auto& subject = task.subject;
  auto tracing = tracing_of(task, terminal);
  if (!tracing) return Exit::wrong_input;
  std::optional<Profile> profile;
  if (wanted.profile) profile.emplace();
  RunRecord record;
  record.scenario_file = subject.file();
  record.quantum = subject.quantum();
  if (!record.quantum.empty()) {
    record.fabric = name_of(wanted.mode);
    record.loop = wanted.loop->name;
  }
  record.started = std::chrono::system_clock::now();
  const auto ran = played(task, std::move(*tracing), profile ? &*profile : nullptr, terminal);
  if (!ran) {
    if (task.speaks) terminal.report(ran.error());
    return Exit::wrong_input;
  }
  if (!task.speaks) return Exit::done;
  auto& outcome = **ran;
  const auto& results = outcome.results();
  record.inputs = std::move(task.inputs);
  add_captures(subject.captures(), record.inputs);
  record.wall = outcome.wall;
  record.simulated = results.warmup + results.window;
  record.protocol = results.protocol;
  if (!take_traces(outcome.traces, record, terminal)) return Exit::wrong_input;
  const bool proven =
      !wanted.what_if || !outcome.problems.empty() || !results.complete || prove(outcome, wanted.jobs, terminal);
  const auto exit = terminal.report(outcome.problems) > 0 ? Exit::wrong_input
                    : !proven                             ? Exit::interrupted
                                                          : exit_of(study::verdict(results));
  record.exit = static_cast<int>(exit);
  if (profile) terminal.say("wall time of the simulation:\n" + profile->text(record.wall));
  return publish(wanted.output, {subject.name(), outcome.document(std::string{version()})}, results, record,
                 outcome.table(terminal), terminal);
}

}  // namespace peerpath::cli
