#include <chrono>
#include <fstream>
#include <sstream>

#include "observe/results_json.hpp"
#include "observe/trace/tracer.hpp"
#include "peerpath/observe/finish.hpp"
#include "peerpath/platform/run.hpp"
#include "peerpath/scenario/window.hpp"
#include "scenario/write.hpp"
#include "tools/peerpath/files/located.hpp"
#include "tools/peerpath/run/network_document.hpp"
#include "tools/peerpath/run/verdict.hpp"
#include "tools/python/core.hpp"

namespace peerpath::python {
namespace {

/// A tracer that writes the curves alone.
trace::Request series_alone(const scenario::Scenario& scenario) {
  trace::Request request;
  for (const auto& format : trace::formats())
    if (format.name == "series") request.formats.push_back(&format);
  request.end = Instant{scenario::longest_run(scenario)};
  request.program = "peerpath " PEERPATH_VERSION;
  return request;
}

template <class Loaded>
tl::unexpected<Problems> placed(Problems problems, const Loaded& loaded) {
  for (auto& problem : problems) problem = cli::located(problem, loaded.file, loaded.origins);
  return tl::make_unexpected(std::move(problems));
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

tl::expected<RunOutput, Problems> run_network(const network_scenario::Loaded& loaded, bool with_series,
                                              const std::function<bool()>& stop) {
  if (with_series)
    return tl::make_unexpected(Problems{{loaded.file, 0, 0, "", "is a network scenario, of which no curves are kept"}});
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = network_run::run(loaded, {.progress = {}, .stop = stop});
  if (!outcome) return placed(outcome.error(), loaded);
  RunOutput output;
  output.seconds = seconds_since(begin);
  output.passed = cli::verdict(outcome->results) == cli::Exit::done;
  output.interrupted = !outcome->results.complete;
  output.results = observe::results_text(cli::network_document(loaded, *outcome, PEERPATH_VERSION));
  return output;
}

}  // namespace

scenario::LoadOptions load_options(const Source& source) {
  scenario::LoadOptions options;
  options.overrides = source.overrides;
  options.search.assign(source.folders.begin(), source.folders.end());
  if (!source.text) return options;
  options.files.read = [disk = options.files, source](const std::filesystem::path& file) {
    return file == source.name ? tl::expected<std::string, std::string>{*source.text} : disk.read(file);
  };
  options.files.exists = [disk = options.files, source](const std::filesystem::path& file) {
    return file == source.name || disk.exists(file);
  };
  return options;
}

tl::expected<RunOutput, Problems> run(const Source& source, const std::string& series_folder,
                                      const std::function<bool()>& stop) {
  if (const auto network = network_scenario::load(source.name, load_options(source)))
    return network->and_then([&](const auto& loaded) { return run_network(loaded, !series_folder.empty(), stop); });
  const auto loaded = scenario::load(source.name, load_options(source));
  if (!loaded) return tl::make_unexpected(loaded.error());
  platform::RunOptions options;
  options.captures = loaded->captures;
  options.stop = stop;
  std::optional<trace::Tracer> tracer;
  if (!series_folder.empty()) {
    tracer.emplace(series_alone(loaded->scenario), series_folder);
    options.trace = &*tracer;
    options.built = [&](const observe::Scene& scene) { return tracer->built(scene); };
    options.guide = [&](device::Endpoint& device, const device::Place& place) -> device::Endpoint& {
      return tracer->guide(device, place);
    };
  }
  const auto begin = std::chrono::steady_clock::now();
  auto results = platform::run(loaded->scenario, options);
  if (!results) return placed(results.error(), *loaded);
  RunOutput output;
  output.seconds = seconds_since(begin);
  const auto unknown = observe::finish(*results, loaded->scenario);
  if (!unknown.empty()) return placed(unknown, *loaded);
  output.passed = cli::verdict(*results) == cli::Exit::done;
  output.interrupted = !results->complete;
  output.results = observe::results_text(
      observe::results_document(*results, {PEERPATH_VERSION, loaded->scenario.name, scenario::written(loaded->scenario),
                                           scenario::written_origins(*loaded)}));
  if (tracer)
    for (const auto& file : tracer->finish()) output.series = text_of(file.written);
  return output;
}

}  // namespace peerpath::python
