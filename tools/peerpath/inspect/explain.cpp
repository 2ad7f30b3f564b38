#include <algorithm>
#include <string>
#include <vector>

#include "observe/metric_definitions.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/network/describe.hpp"
#include "scenario/network/metrics.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/split_list.hpp"

namespace peerpath::cli {

namespace {

std::optional<std::string> joined(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (!a || !b) return a ? a : b;
  return *a + "\n" + *b;
}

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

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
  std::erase_if(parts, is_number);
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

Exit explain(const Arguments& arguments, Terminal& terminal) {
  const auto& topic = arguments.words().front();
  const auto networks = network_scenario::topics();
  auto key = explained(topic, networks);
  if (!key) key = explained(section_key(topic, networks), networks);
  const auto metric = joined(observe::explain_metric(topic), network_scenario::explain_metric(topic));
  if (key || metric) {
    auto text = key.value_or("");
    if (!text.empty() && !text.ends_with("\n")) text += "\n";
    if (key && metric) text += "\nMetrics\n";
    terminal.data(text + metric.value_or(""));
    return Exit::done;
  }
  auto near = scenario::nearest_topic(topic);
  if (near.empty()) near = scenario::nearest_among(networks, topic);
  if (near.empty()) near = observe::nearest_metric(topic);
  terminal.error("there is no key or metric '" + topic + "'" +
                 (near.empty()
                      ? "; `peerpath list devices`, `list sections` and `list metrics SCENARIO` name what there is"
                      : "; did you mean '" + near + "'?"));
  return Exit::wrong_input;
}

}  // namespace peerpath::cli
