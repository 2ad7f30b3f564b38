#include <algorithm>

#include "peerpath/base/nearest.hpp"
#include "tools/peerpath/batch/sweep_file.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/report/page.hpp"
#include "tools/report/structure.hpp"
#include "tools/report/sweep_page.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

/// The results of a folder, undamaged; null, and said why, if there are none.
report::Json results_of(const fs::path& folder, const Terminal& terminal) {
  const auto text = read_file(folder / "results.json");
  auto document = report::Json::parse(text.value_or(""), nullptr, false);
  if (!document.is_object() || !document.contains("schema_version")) {
    terminal.error((folder / "results.json").string() +
                   (text ? ": is not what `peerpath run` writes" : ": cannot be read; `peerpath run` writes it"));
    return nullptr;
  }
  if (const auto found = report::damage(document)) {
    terminal.error((folder / "results.json").string() + ": is damaged: " + *found);
    return nullptr;
  }
  return document;
}

report::Json document_of(const fs::path& file) {
  auto document = report::Json::parse(read_file(file).value_or(""), nullptr, false);
  return document.is_object() ? document : report::Json(nullptr);
}

Exit write_page(const fs::path& file, const std::string& page, const Terminal& terminal) {
  if (!write_file(file, page, terminal)) return Exit::wrong_input;
  terminal.say("written to " + file.string());
  return Exit::done;
}

/// The metric that the page is of; "": goodput. Where none has goodput it is the time of a collective.
tl::expected<std::string, std::string> figure_of(const std::optional<std::string>& wanted, const SweepFile& file) {
  const auto metrics = file.metrics();
  const auto ends_with = [&](std::string_view end) {
    return std::ranges::find_if(metrics, [&](const std::string& metric) { return metric.ends_with(end); });
  };
  if (wanted) {
    if (std::ranges::find(metrics, *wanted) != metrics.end()) return *wanted;
    const auto near = nearest(*wanted, metrics);
    return tl::unexpected{"the sweep has no metric \"" + *wanted + "\"" +
                          (near.empty() ? "" : "; did you mean \"" + near + "\"?")};
  }
  if (const auto time = ends_with(".time_us"); time != metrics.end() && ends_with(".goodput_gbps") == metrics.end())
    return *time;
  return std::string{};
}

/// What the command line of `report` asks for.
struct ReportArguments {
  fs::path from;  ///< a folder of results, or the file of a sweep
  std::optional<std::string> out, metric, with;
};

Exit report_sweep(const ReportArguments& wanted, const Terminal& terminal) {
  const auto file = SweepFile::open(wanted.from);
  if (!file) return terminal.error(file.error()), Exit::wrong_input;
  const auto metric = figure_of(wanted.metric, *file);
  if (!metric) return terminal.error(metric.error()), Exit::wrong_input;
  const auto page = wanted.out.value_or(fs::path{wanted.from}.replace_extension(".html").string());
  return write_page(page, report::sweep_page(file->summary(*metric)), terminal);
}

}  // namespace

Exit report(const Arguments& arguments, Terminal& terminal) {
  const ReportArguments wanted{arguments.words().front(), arguments.value("--out"), arguments.value("--metric"),
                               arguments.value("--with")};
  const auto& folder = wanted.from;
  std::error_code error;
  if (fs::is_regular_file(folder, error)) return report_sweep(wanted, terminal);
  if (wanted.metric) {
    terminal.error("--metric is for the file of a sweep; " + folder.string() + " is a run");
    return Exit::wrong_input;
  }
  const auto results = results_of(folder, terminal);
  if (results.is_null()) return Exit::wrong_input;
  report::Extras extras;
  extras.series = document_of(folder / "series.json");
  if (wanted.with) {
    extras.other = results_of(*wanted.with, terminal);
    if (extras.other.is_null()) return Exit::wrong_input;
    extras.other_series = document_of(fs::path{*wanted.with} / "series.json");
    extras.other_name = *wanted.with;
  }
  const auto page = wanted.out.value_or((folder / "report.html").string());
  return write_page(page, report::page(results, document_of(folder / "run.json"), extras), terminal);
}

}  // namespace peerpath::cli
