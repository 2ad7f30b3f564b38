// `peerpath explain`, `peerpath list`: help text from `fields()`.
#include "peerpath/scenario/describe.hpp"
#include "scenario/describe_fields.hpp"
#include "scenario/options.hpp"
#include "scenario/topics.hpp"

namespace peerpath::scenario {
namespace {

std::string described(const OptionInfo& option) {
  std::string out = option.key + ": " + option.type;
  if (!option.standard.empty()) out += "; default " + option.standard;
  if (!option.least.empty()) out += "; at least " + option.least;
  if (!option.most.empty()) out += "; at most " + option.most;
  out += "\n    " + option.doc + "\n";
  if (!option.source.empty()) out += "    default from: " + option.source + "\n";
  return out;
}

/// The options of all topics with this name, or in a group of this name: "acs", "iommu.walkers".
std::string wherever(const std::vector<Topic>& topics, std::string_view word) {
  std::string out;
  const auto last = "." + std::string{word};
  for (const auto& topic : topics)
    for (const auto& option : topic.options) {
      const auto whole = "." + option.key;
      if (!word.empty() && (whole.ends_with(last) || whole.find(last + ".") != std::string::npos))
        out += topic.entry.name + "." + described(option);
    }
  return out;
}

std::vector<std::string> names_among(const std::vector<Topic>& topics) {
  std::vector<std::string> names;
  for (const auto& topic : topics) {
    names.push_back(topic.entry.name);
    for (const auto& option : topic.options) names.push_back(topic.entry.name + "." + option.key);
  }
  return names;
}

/// The names that `wherever` finds: option names without their topic, "iommu.walkers" and "walkers".
std::vector<std::string> shorter_names(const std::vector<Topic>& topics) {
  std::vector<std::string> names;
  for (const auto& topic : topics)
    for (const auto& option : topic.options)
      for (std::size_t from = 0;; from = option.key.find('.', from) + 1) {
        names.push_back(option.key.substr(from));
        if (option.key.find('.', from) == std::string::npos) break;
      }
  return names;
}

std::vector<Topic> topics() {
  std::vector<Topic> out;
  for_each_topic([&]<class Config>(const Kind<Config>& topic) {
    out.push_back({{std::string{topic.name}, std::string{topic.doc}}, {}});
    collect(Config{}, "", out.back().options);
  });
  return out;
}

}  // namespace

std::vector<Entry> device_kinds() {
  std::vector<Entry> out;
  for_each_kind([&](const auto& kind) { out.push_back({std::string{kind.name}, std::string{kind.doc}}); });
  return out;
}

std::vector<Entry> sections() {
  std::vector<Entry> out;
  std::apply([&](const auto&... s) { (out.push_back({std::string{s.name}, std::string{s.doc}}), ...); }, section_kinds);
  return out;
}

std::vector<OptionInfo> options_of(std::string_view kind_or_section) {
  std::vector<OptionInfo> out;
  for_each_topic([&]<class Config>(const Kind<Config>& topic) {
    if (topic.name == kind_or_section) collect(Config{}, "", out);
  });
  return out;
}

std::optional<std::string> explain_among(const std::vector<Topic>& topics, std::string_view topic) {
  const auto dot = std::min(topic.find('.'), topic.size());
  const auto name = topic.substr(0, dot);
  const auto key = topic.substr(std::min(dot + 1, topic.size()));
  std::string out;
  for (const auto& known : topics) {
    if (known.entry.name != name) continue;
    if (key.empty()) out = known.entry.name + ": " + known.entry.doc + "\n\n";
    for (const OptionInfo& option : known.options)  // "function" stands for the whole group
      if (key.empty() || option.key == key || option.key.starts_with(std::string{key} + ".")) out += described(option);
  }
  if (out.empty()) out = wherever(topics, topic);
  return out.empty() ? std::nullopt : std::optional{out};
}

std::string nearest_among(const std::vector<Topic>& topics, std::string_view word) {
  auto found = nearest(word, names_among(topics));
  return found.empty() ? nearest(word, shorter_names(topics)) : found;
}

std::optional<std::string> explain(std::string_view topic) { return explain_among(topics(), topic); }
std::string nearest_topic(std::string_view word) { return nearest_among(topics(), word); }

}  // namespace peerpath::scenario
