#include <algorithm>
#include <nlohmann/json.hpp>

#include "peerpath/scenario/describe.hpp"
#include "study/help.hpp"
#include "study/text/text_table.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/run/backends.hpp"

namespace peerpath::cli {
namespace {

using Entries = std::vector<scenario::Entry>;

Entries scenario_entries() {
  Entries entries;
  for (const auto& name : scenario_names()) {
    const auto subject = load_subject(name, {});
    entries.push_back({name, subject ? (*subject)->description() : "has problems: see `peerpath check " + name + "`"});
  }
  return entries;
}

/// The comment that a preset begins with, else its "description": a device has none.
std::string about(std::string_view text) {
  std::string comment;
  for (auto rest = text; rest.starts_with("// "); rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1))
    comment += (comment.empty() ? "" : " ") + std::string{rest.substr(3, rest.find('\n') - 3)};
  if (!comment.empty()) return comment;
  const auto document = nlohmann::json::parse(text, nullptr, false, true);
  return document.is_object() && document.contains("description") && document["description"].is_string()
             ? document["description"].get<std::string>()
             : std::string{};
}

Entries preset_entries() {
  Entries entries;
  for (const auto& [name, file] : preset_files()) entries.push_back({name, about(read_file(file).value_or(""))});
  return entries;
}

Entries backend_entries() {
  Entries entries;
  for (const auto& backend : backends()) entries.push_back({std::string{backend.name}, std::string{backend.doc}});
  return entries;
}

Exit print(const Entries& entries, bool json, const Terminal& terminal) {
  auto document = nlohmann::ordered_json::array();
  study::TextTable table{{{"", study::TextTable::Align::left}, {"", study::TextTable::Align::left}}};
  for (const auto& [name, doc] : entries) {
    document.push_back({{"name", name}, {"doc", doc}});
    table.add({name, doc});
  }
  terminal.data(json ? document.dump(2) + "\n" : table.text());
  return Exit::done;
}

}  // namespace

Exit list(const Arguments& arguments, Terminal& terminal) {
  const auto& words = arguments.words();
  const std::string what = words.empty() ? "scenarios" : words.front();
  if (words.empty())
    terminal.say(
        "`peerpath list` prints the shipped scenarios; `list presets`, `list devices`, `list sections` and `list "
        "backends` print what scenarios are made of and run on, `list metrics SCENARIO` what one measures\n");
  const bool json = arguments.has("--json");
  if (what != "metrics" && words.size() > 1) {
    terminal.error("'" + words[1] + "' is one word too many: only `list metrics` takes a scenario");
    return Exit::wrong_input;
  }
  if (what == "scenarios") return print(scenario_entries(), json, terminal);
  if (what == "presets") return print(preset_entries(), json, terminal);
  if (what == "devices") return print(scenario::device_kinds(), json, terminal);
  if (what == "sections") return print(study::sections(), json, terminal);
  if (what == "backends") return print(backend_entries(), json, terminal);
  if (words.size() < 2) {
    terminal.error("`list metrics` needs a scenario: `peerpath list metrics netgpu/zero_copy`");
    return Exit::wrong_input;
  }
  const auto subject = load_subject(words[1], {});
  if (subject) return print((*subject)->metrics(), json, terminal);
  terminal.report(subject.error());
  return Exit::wrong_input;
}

}  // namespace peerpath::cli
