#include <fstream>
#include <sstream>

#include "observe/results_json.hpp"
#include "study/run.hpp"
#include "tools/python/core.hpp"

namespace peerpath::python {
namespace {

/// A trace of the curves alone; nothing if this kind of scenario has none.
std::optional<trace::Request> series_alone(const study::Subject& subject) {
  trace::Request request;
  for (const auto& format : trace::formats())
    if (format.name == "series" && subject.can_trace(format)) request.formats.push_back(&format);
  if (request.formats.empty()) return std::nullopt;
  request.end = subject.end();
  request.program = "peerpath " PEERPATH_VERSION;
  return request;
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
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
  const auto subject = study::load(source.name, load_options(source));
  if (!subject) return tl::make_unexpected(subject.error());
  study::RunRequest request;
  request.stop = stop;
  if (!series_folder.empty()) {
    auto series = series_alone(**subject);
    if (!series)
      return tl::make_unexpected(
          Problems{{(*subject)->file(), 0, 0, "",
                    "is a " + std::string{(*subject)->kind()} + " scenario, of which no curves are kept"}});
    request.tracing = {std::move(*series), series_folder};
  }
  const auto outcome = study::run(**subject, request);
  if (!outcome) return tl::make_unexpected(outcome.error());
  const auto& found = **outcome;
  if (!found.problems.empty()) return tl::make_unexpected(found.problems);
  RunOutput output;
  output.seconds = std::chrono::duration<double>(found.wall).count();
  output.passed = study::verdict(found.results()) == study::Ending::passed;
  output.interrupted = !found.results().complete;
  output.results = observe::results_text(found.document(PEERPATH_VERSION));
  for (const auto& file : found.traces) output.series = text_of(file.written);
  return output;
}

}  // namespace peerpath::python
