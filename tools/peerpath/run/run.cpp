#include <algorithm>
#include <string>

#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/refusal.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/run/backends.hpp"
#include "tools/peerpath/run/launched.hpp"
#include "tools/peerpath/run/run_output.hpp"

namespace peerpath::cli {
namespace {

/// Why the backend does not run this kind of scenario; "" if it does.
std::string not_for(const Backend& backend, std::string_view kind) {
  const auto takes = [kind](const Backend& each) { return each.subjects.empty() || each.subjects == kind; };
  if (takes(backend)) return {};
  std::string all;
  for (const auto& each : backends())
    if (takes(each)) all += (all.empty() ? "" : ", ") + std::string{each.name};
  return "a " + std::string{kind} + " scenario runs on the " + all + " only, not on " + std::string{backend.name};
}

}  // namespace

Exit run(const Arguments& arguments, Terminal& terminal) {
  const auto wanted = run_arguments(arguments, terminal);
  if (!wanted) return Exit::wrong_input;
  InputFiles inputs;
  const auto loaded = load_subject(wanted->scenario, wanted->overrides, &inputs);
  const bool speaks = speaks_for_all();
  if (!loaded) {
    if (speaks) terminal.report(loaded.error());
    return Exit::wrong_input;
  }
  const auto& subject = **loaded;
  const auto& backend = *std::ranges::find(backends(), wanted->backend, &Backend::name);
  auto why = not_for(backend, subject.kind());
  if (why.empty()) why = refusal(arguments, "run", "a " + std::string{subject.kind()} + " scenario", backend.name);
  if (!why.empty()) return terminal.error(why), Exit::wrong_input;
  const auto part = part_in(subject, *wanted);
  if (!part) {
    if (speaks) terminal.error(part.error());
    return Exit::wrong_input;
  }
  if (part->idle) return Exit::done;
  const bool silent = part->ranks != nullptr && !speaks;
  if (silent) terminal.set_quiet(true);
  if (const auto waiver = backend.missing(*wanted, subject); !waiver.reasons.empty())
    return waive(wanted->output, waiver, terminal);
  return backend.run({*wanted, subject, std::move(inputs), part->ranks.get(), !silent}, terminal);
}

}  // namespace peerpath::cli
