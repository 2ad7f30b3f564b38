// The output that all backends share: verdict, tables, files.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/run/backends.hpp"
#include "tools/peerpath/run/run_record.hpp"

namespace peerpath::cli {

/// --out, or a folder below peerpath-out.
std::filesystem::path output_folder(const OutputArguments& output, const std::string& name_of_scenario);

/// Says why a scenario cannot be run here and what would run, and with --json prints that as a document:
/// {"waived": [...], "would_run": [...]}. Returns `waived`.
Exit waive(const OutputArguments& output, const Waiver& waiver, const Terminal& terminal);

/// Notes the traces in the record; false, and said why, if one of them could not be written.
bool take_traces(const std::vector<study::TraceFile>& traces, RunRecord& record, const Terminal& terminal);

/// What results.json holds, and the name of the scenario.
struct Publication {
  std::string name;
  nlohmann::ordered_json document;
};

/// Prints `table` (or, with --json, the results) and writes results.json, run.json and, but beside --json, report.html,
/// all or none. What an interrupted run leaves goes to the folder `interrupted` in it where it would replace complete
/// results. Returns the record's exit, or wrong_input if the files cannot be written.
Exit publish(const OutputArguments& output, const Publication& publication, const observe::Results& results,
             const RunRecord& record, const std::string& table, const Terminal& terminal);

}  // namespace peerpath::cli
