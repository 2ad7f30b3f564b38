#include <algorithm>
#include <array>
#include <string>

#include "peerpath/base/nearest.hpp"
#include "peerpath/observe/finish.hpp"
#include "peerpath/sc/run.hpp"
#include "tools/peerpath/backends.hpp"
#include "tools/peerpath/catalogue.hpp"
#include "tools/peerpath/interrupt.hpp"
#include "tools/peerpath/progress.hpp"
#include "tools/peerpath/result_table.hpp"
#include "tools/peerpath/run_on_emulator.hpp"
#include "tools/peerpath/run_on_hardware.hpp"
#include "tools/peerpath/run_output.hpp"
#include "tools/peerpath/run_record.hpp"
#include "tools/peerpath/scenario_files.hpp"

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
                                                  bool check_protocol, const Terminal& terminal) {
  const InterruptGuard guard;
  Progress progress{terminal};
  platform::RunOptions options;
  options.mode = mode;
  options.check_protocol = check_protocol;
  options.captures = loaded.captures;
  options.progress = [&progress](const platform::Progress& p) { progress.update(p.simulated, p.total); };
  options.stop = [&guard] { return guard.interrupted(); };
  return loop.run(loaded.scenario, options);
}

}  // namespace

Exit run(const Arguments& arguments, Terminal& terminal) {
  const auto backend = choose_backend(arguments, terminal);
  const auto mode = choose_fabric(arguments, terminal);
  const auto* loop = choose_loop(arguments, terminal);
  const auto loaded = load_scenario(arguments.words().front(), arguments, terminal);
  if (!loaded || !mode || loop == nullptr || backend == Exit::wrong_input) return Exit::wrong_input;
  if (backend != Exit::done) return backend;
  if (arguments.value("--on") == "hardware") return run_on_hardware(arguments, *loaded, terminal);
  if (arguments.value("--on") == "emulator") return run_on_emulator(arguments, *loaded, terminal);

  RunRecord record;
  record.fabric = name_of(*mode);
  record.loop = loop->name;
  record.started = std::chrono::system_clock::now();
  const auto begin = std::chrono::steady_clock::now();
  auto simulated = simulate(*loaded, *loop, *mode, arguments.has("--check-protocol"), terminal);
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
  record.protocol = results.protocol;

  return publish(arguments, *loaded, results, record, result_table(results, loaded->scenario, terminal), terminal);
}

}  // namespace peerpath::cli
