#include <algorithm>
#include <array>
#include <string>

#include "observe/finish.hpp"
#include "observe/results_json.hpp"
#include "peerpath/base/nearest.hpp"
#include "peerpath/sc/run.hpp"
#include "peerpath/scenario/describe.hpp"
#include "tools/peerpath/backends.hpp"
#include "tools/peerpath/catalogue.hpp"
#include "tools/peerpath/interrupt.hpp"
#include "tools/peerpath/output_file.hpp"
#include "tools/peerpath/progress.hpp"
#include "tools/peerpath/result_table.hpp"
#include "tools/peerpath/run_record.hpp"
#include "tools/peerpath/scenario_files.hpp"
#include "tools/peerpath/version.hpp"
#include "tools/report/page.hpp"

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
    terminal.say("waived: " + std::string{backend.missing});
    return Exit::waived;
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

std::filesystem::path output_folder(const Arguments& arguments, const scenario::Scenario& scenario) {
  if (const auto folder = arguments.value("--out")) return *folder;
  return std::filesystem::path{"peerpath-out"} / scenario.name;
}

bool write_all(const std::filesystem::path& folder, const std::string& results, const std::string& record,
               const Terminal& terminal) {
  return make_folder(folder, terminal) && write_file(folder / "results.json", results, terminal) &&
         write_file(folder / "run.json", record, terminal) &&
         write_file(folder / "report.html", report::page(results, record), terminal);
}

Exit verdict(const observe::Results& results) {
  if (!results.conservation.empty()) return Exit::bug;  // the model lost or invented bytes
  if (!results.complete) return Exit::interrupted;
  const bool failed = std::ranges::any_of(
      results.expectations, [](const observe::ExpectationResult& e) { return e.verdict == observe::Verdict::failed; });
  return failed ? Exit::expectation_failed : Exit::done;
}

tl::expected<observe::Results, Problems> simulate(const scenario::Loaded& loaded, fabric::Mode mode,
                                                  const Terminal& terminal) {
  const InterruptGuard guard;
  Progress progress{terminal};
  sc::RunOptions options;
  options.mode = mode;
  options.captures = loaded.captures;
  options.progress = [&progress](const sc::Progress& p) { progress.update(p.simulated, p.total); };
  options.stop = [&guard] { return guard.interrupted(); };
  return sc::run_model(loaded.scenario, options);
}

/// Problems of expectations, with their places; how many.
int report_located(const Problems& problems, const scenario::Loaded& loaded, const Terminal& terminal) {
  Problems placed;
  for (const auto& problem : problems) placed.push_back(located(problem, loaded));
  return terminal.report(placed);
}

}  // namespace

Exit run(const Arguments& arguments, Terminal& terminal) {
  const auto backend = choose_backend(arguments, terminal);
  const auto mode = choose_fabric(arguments, terminal);
  const auto loaded = load_scenario(arguments.words().front(), arguments, terminal);
  if (!loaded || !mode || backend == Exit::wrong_input) return Exit::wrong_input;
  if (backend != Exit::done) return backend;

  RunRecord record;
  record.fabric = name_of(*mode);
  record.started = std::chrono::system_clock::now();
  const auto begin = std::chrono::steady_clock::now();
  auto simulated = simulate(*loaded, *mode, terminal);
  record.wall = std::chrono::steady_clock::now() - begin;
  if (!simulated) {
    report_located(simulated.error(), *loaded, terminal);
    return Exit::wrong_input;
  }
  auto& results = *simulated;
  const auto unknown = observe::finish(results, loaded->scenario);
  const auto exit = report_located(unknown, *loaded, terminal) > 0 ? Exit::wrong_input : verdict(results);
  record.simulated = loaded->scenario.run.warmup + results.window;
  record.exit = static_cast<int>(exit);

  const auto document =
      observe::results_json(results, {std::string{version()}, loaded->scenario.name,
                                      scenario::to_json(loaded->scenario), scenario::origins_json(*loaded)});
  terminal.data(arguments.has("--json") ? document : result_table(results, loaded->scenario, terminal));
  const auto folder = output_folder(arguments, loaded->scenario);
  if (!write_all(folder, document, run_json(record, *loaded), terminal)) return Exit::wrong_input;
  terminal.say("\nwritten to " + folder.string() + ": results.json, run.json, report.html");
  return exit;
}

}  // namespace peerpath::cli
