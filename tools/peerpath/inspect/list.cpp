#include <algorithm>
#include <nlohmann/json.hpp>

#include "observe/metric_names.hpp"
#include "peerpath/base/nearest.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/network/describe.hpp"
#include "scenario/network/metrics.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/text_table.hpp"
#include "tools/peerpath/files/network_files.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/run/backends.hpp"

namespace peerpath::cli {
namespace {

using Entries = std::vector<scenario::Entry>;

Entries scenario_entries() {
  Entries entries;
  for (const auto& name : scenario_names()) {
    if (const auto network = load_network(name, {}); network && *network) {
      entries.push_back({name, (*network)->scenario.description});
      continue;
    }
    const auto loaded = load_scenario(name, {});
    entries.push_back(
        {name, loaded ? loaded->scenario.description : "has problems: see `peerpath check " + name + "`"});
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
  for (const auto& backend : backends())
    entries.push_back({std::string{backend.name}, std::string{backend.built_in() ? backend.doc : backend.missing}});
  return entries;
}

Entries metrics(const scenario::Scenario& scenario) {
  Entries entries;
  for (const auto& metric : observe::expected_metrics(scenario))
    entries.push_back({metric.name, metric.doc + (metric.unit == "1" ? "" : " (" + metric.unit + ")")});
  return entries;
}

Entries metrics(const network_scenario::NetworkScenario& scenario) {
  Entries entries;
  for (const auto& metric : network_scenario::metrics_of(scenario))
    entries.push_back({metric.name, metric.doc + (metric.unit == "1" ? "" : " (" + metric.unit + ")")});
  return entries;
}

/// The sections of PCIe scenarios, then the blocks of network scenarios.
Entries sections() {
  auto entries = scenario::sections();
  for (const auto& topic : network_scenario::topics()) {
    const auto known = std::ranges::find(entries, topic.entry.name, &scenario::Entry::name);
    if (known == entries.end())
      entries.push_back(topic.entry);
    else
      known->doc += "; " + topic.entry.doc;
  }
  return entries;
}

Exit print(const Entries& entries, bool json, const Terminal& terminal) {
  auto document = nlohmann::ordered_json::array();
  TextTable table{{{"", TextTable::Align::left}, {"", TextTable::Align::left}}};
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
  if (what == "sections") return print(sections(), json, terminal);
  if (what == "backends") return print(backend_entries(), json, terminal);
  if (what == "metrics") {
    if (words.size() < 2) {
      terminal.error("`list metrics` needs a scenario: `peerpath list metrics netgpu/zero_copy`");
      return Exit::wrong_input;
    }
    if (const auto network = load_network(words[1], arguments); network && *network)
      return print(metrics((*network)->scenario), json, terminal);
    const auto loaded = load_scenario(words[1], arguments, terminal);
    return loaded ? print(metrics(loaded->scenario), json, terminal) : Exit::wrong_input;
  }
  const std::vector<std::string> known{"scenarios", "presets", "devices", "sections", "backends", "metrics"};
  const auto near = nearest(what, known);
  terminal.error("there is no list '" + what + "'" +
                 (near.empty() ? "; use scenarios, presets, devices, sections, backends or metrics"
                               : "; did you mean '" + near + "'?"));
  return Exit::wrong_input;
}

}  // namespace peerpath::cli
