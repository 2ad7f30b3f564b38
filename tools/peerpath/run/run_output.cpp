#include "tools/peerpath/run/run_output.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "observe/results_json.hpp"
#include "study/text/number_text.hpp"
#include "study/verdict.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/report/page.hpp"

namespace peerpath::cli {

std::filesystem::path output_folder(const OutputArguments& output, const std::string& name_of_scenario) {
  if (output.folder) return *output.folder;
  return std::filesystem::path{"peerpath-out"} / name_of_scenario;
}

/// The problems of a run, which --quiet does not suppress.
void report_failed(const observe::Results& results, const Terminal& terminal) {
  for (const auto& e : results.expectations)
    if (e.verdict == observe::Verdict::failed)
      terminal.error("expectation failed: " + e.metric + " is " + study::found_text(e) + ", wanted " + e.wanted);
  for (const auto& violation : results.conservation) terminal.error("byte ledger violated: " + violation);
  if (study::ends_in_unwanted_deadlock(results)) terminal.error("the run ended in a deadlock");
  for (const auto& broken : results.protocol.value_or(std::vector<std::string>{})) terminal.error(broken);
}

Exit waive(const OutputArguments& output, const Waiver& waiver, const Terminal& terminal) {
  for (const auto& reason : waiver.reasons) terminal.say("waived: " + reason);
  for (const auto& traffic : waiver.would_run) terminal.say("would run: " + traffic);
  if (output.json)
    terminal.data(nlohmann::ordered_json{{"waived", waiver.reasons}, {"would_run", waiver.would_run}}.dump(2) + "\n");
  if (!waiver.advice.empty()) terminal.say(waiver.advice);
  return Exit::waived;
}

bool take_traces(const std::vector<study::TraceFile>& traces, RunRecord& record, const Terminal& terminal) {
  bool whole = true;
  for (const auto& file : traces) {
    record.traces.push_back(file);
    if (file.whole) continue;
    terminal.error(file.written.string() + ": the trace could not be written completely; is the disk full?");
    whole = false;
  }
  return whole;
}

/// Whether an earlier run came to its end and left what it found here.
bool holds_complete_results(const std::filesystem::path& folder) {
  const auto text = read_file(folder / "results.json");
  const auto document = nlohmann::json::parse(text.value_or(""), nullptr, false);
  return document.is_object() && document.contains("complete") && document["complete"] == true;
}

/// The curves that a trace of the run holds, if one does.
report::Json series_of(const RunRecord& record) {
  for (const auto& trace : record.traces)
    if (trace.name == "series.json")
      return report::Json::parse(read_file(trace.written).value_or("null"), nullptr, false);
  return nullptr;
}

Exit publish(const OutputArguments& output, const Publication& publication, const observe::Results& results,
             const RunRecord& record, const std::string& table, const Terminal& terminal) {
  const auto& document = publication.document;
  const auto text = observe::results_text(document);
  const auto run = run_json(record);
  if (output.json)
    terminal.data(text);
  else if (!terminal.quiet())
    terminal.data(table);
  else
    report_failed(results, terminal);
  auto folder = output_folder(output, publication.name);
  if (!results.complete && holds_complete_results(folder)) {
    terminal.say("\nthe complete results in " + folder.string() + " stay");
    folder /= "interrupted";
  }
  const bool shown = !output.json || output.report;
  const auto page = shown ? report::page(document, report::Json::parse(run), {.series = series_of(record)}) : "";
  std::vector<OutputFile> files{{folder / "results.json", text}, {folder / "run.json", run}};
  if (shown) files.push_back({folder / "report.html", page});
  if (!make_folder(folder, terminal) || !write_files(files, terminal)) return Exit::wrong_input;
  std::string names = shown ? "results.json, run.json, report.html" : "results.json, run.json";
  for (const auto& trace : record.traces) {
    std::error_code error;
    std::filesystem::rename(trace.written, folder / trace.name, error);
    if (error) return terminal.error(trace.written.string() + ": " + error.message()), Exit::wrong_input;
    names += ", " + trace.name + " (" + trace.what + ")";
  }
  terminal.say("\nwritten to " + folder.string() + ": " + names);
  return static_cast<Exit>(record.exit);
}

}  // namespace peerpath::cli
