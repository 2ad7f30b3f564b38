#include "study/help.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "observe/metric_definitions.hpp"
#include "scenario/network/describe.hpp"
#include "scenario/network/metrics.hpp"
#include "study/text/split_list.hpp"

namespace peerpath::study {
namespace {

std::optional<std::string> joined(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (!a || !b) return a ? a : b;
  return *a + "\n" + *b;
}

bool is_index(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

/// "nic" of "nic0" and "n[1].nic0": devices are mostly named after their kind. "" if there is no such kind.
std::string kind_of_name(std::string name) {
  name.erase(name.find_last_not_of("0123456789") + 1);
  const auto kinds = scenario::device_kinds();
  return std::ranges::count(kinds, name, &scenario::Entry::name) > 0 ? name : std::string{};
}

/// A key as a file spells it, by the name of its section: "collective.kind" of "collectives.0.kind", "nic.fifo" of
/// "devices.nic0.fifo". Entries of a list are counted, and the section is called after one of them.
std::string section_key(const std::string& key, const std::vector<scenario::Topic>& networks) {
  auto parts = split_list(key, '.');
  std::erase_if(parts, is_index);
  if (parts.size() > 1 && parts[0] == "devices") {
    const auto kind = kind_of_name(parts[1]);
    parts.erase(parts.begin(), parts.begin() + (kind.empty() ? 2 : 1));
    if (!kind.empty()) parts[0] = kind;
  } else if (!parts.empty() && parts[0].ends_with('s')) {
    const auto one = parts[0].substr(0, parts[0].size() - 1);
    const auto is_known = [&](const scenario::Entry& entry) { return entry.name == one; };
    if (std::ranges::any_of(scenario::sections(), is_known) ||
        std::ranges::any_of(networks, is_known, &scenario::Topic::entry))
      parts[0] = one;
  }
  std::string section;
  for (const auto& part : parts) section += (section.empty() ? "" : ".") + part;
  return section;
}

/// What stands under `devices`: the kinds.
std::string kinds_text() {
  std::string text = "devices: by name, each of a kind (`peerpath explain KIND` has its options)\n\n";
  for (const auto& kind : scenario::device_kinds()) text += kind.name + ": " + kind.doc + "\n";
  return text;
}

std::optional<std::string> explained(const std::string& topic, const std::vector<scenario::Topic>& networks) {
  if (topic == "devices") return kinds_text();
  return joined(scenario::explain(topic), scenario::explain_among(networks, topic));
}

}  // namespace

std::vector<scenario::Entry> sections() {
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

std::optional<std::string> explain(const std::string& topic) {
  const auto networks = network_scenario::topics();
  auto key = explained(topic, networks);
  return key ? key : explained(section_key(topic, networks), networks);
}

std::optional<std::string> explain_metric(const std::string& name) {
  return joined(observe::explain_metric(name), network_scenario::explain_metric(name));
}

std::string nearest_topic(const std::string& word) {
  auto near = scenario::nearest_topic(word);
  if (near.empty()) near = scenario::nearest_among(network_scenario::topics(), word);
  return near.empty() ? observe::nearest_metric(word) : near;
}

std::string schema_json() {  // the `network` of a scenario shows which of the two it is
  using Json = nlohmann::ordered_json;
  auto pcie = Json::parse(scenario::schema_json());
  Json all{{"$schema", pcie["$schema"]}, {"title", pcie["title"]}};
  pcie.erase("$schema");
  pcie.erase("title");
  all["type"] = "object";
  all["if"] = {{"required", {"network"}}};
  all["then"] = Json::parse(network_scenario::schema_json());
  all["else"] = std::move(pcie);
  return all.dump(2) + "\n";
}

}  // namespace peerpath::study
