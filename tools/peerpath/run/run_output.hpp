// The output that all backends share: verdict, tables, files.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/run/run_record.hpp"
#include "tools/peerpath/run/verdict.hpp"

namespace peerpath::cli {

/// --out, or a folder below peerpath-out.
std::filesystem::path output_folder(const Arguments& arguments, const std::string& name_of_scenario);
inline std::filesystem::path output_folder(const Arguments& arguments, const scenario::Scenario& scenario) {
  return output_folder(arguments, scenario.name);
}

/// Problems of expectations, with their places; how many.
int report_located(const Problems& problems, const scenario::Loaded& loaded, const Terminal& terminal);

/// Says why a scenario cannot be run here and what would run, and with --json prints that as a document:
/// {"waived": [...], "would_run": [...]}. Returns `waived`.
Exit waive(const Arguments& arguments, const std::vector<std::string>& reasons,
           const std::vector<std::string>& would_run, const Terminal& terminal);

/// What results.json holds, and the name of the scenario.
struct Publication {
  std::string name;
  nlohmann::ordered_json document;
};

/// Prints `table` (or, with --json, the results) and writes results.json, run.json and, but beside --json, report.html,
/// all or none. What an interrupted run leaves goes to the folder `interrupted` in it where it would replace complete
/// results. Returns the record's exit, or wrong_input if the files cannot be written.
Exit publish(const Arguments& arguments, const Publication& publication, const observe::Results& results,
             const RunRecord& record, const std::string& table, const Terminal& terminal);

/// The same with the document of a PCIe scenario; the record gets what it says of a run.
Exit publish(const Arguments& arguments, const scenario::Loaded& loaded, const observe::Results& results,
             RunRecord record, const std::string& table, const Terminal& terminal);

}  // namespace peerpath::cli
