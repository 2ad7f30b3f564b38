// `peerpath explain`, `peerpath list`: help text from `fields()`.
#include "peerpath/scenario/describe.hpp"
#include "scenario/kinds.hpp"
#include "scenario/options.hpp"
#include "scenario/value.hpp"

namespace peerpath::scenario {
namespace {

template <class T>
std::string type_name() {
  if constexpr (is_optional<T>)
    return type_name<typename T::value_type>();
  else if constexpr (is_vector<T>)
    return type_name<typename T::value_type>() + ", or a list of them";
  else if constexpr (std::is_same_v<T, bool>)
    return "true or false";
  else if constexpr (std::is_integral_v<T>)
    return "whole number";
  else if constexpr (std::is_floating_point_v<T>)
    return "number";
  else if constexpr (Dimensioned<T>)
    return std::string{dimension_of<T>().what} + " such as " + std::string{dimension_of<T>().example};
  else if constexpr (std::is_same_v<T, BusAddress>)
    return "address such as 0x4000000000";
  else if constexpr (NamedEnum<T>)
    return "one of " + listed(choices_of<T>());
  else if constexpr (is_kinds<T>)
    return "one of " + listed(names_of_kinds<T>());
  else
    return "text";
}

template <class T>
std::string spelt(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? spelt(*value) : std::string{};
  } else if constexpr (is_vector<T>) {
    std::string out;
    for (const auto& item : value) out += (out.empty() ? "" : ", ") + spelt(item);
    return out;
  } else if constexpr (is_kinds<T>) {
    return names_of_kinds<T>()[value.index()];
  } else {
    return in_words(value);
  }
}

template <class Config>
void collect(const Config& config, const std::string& prefix, std::vector<OptionInfo>& out) {
  const auto add = [&]<class Owner, class T>(const Field<Owner, T>& field, const std::type_identity_t<Owner>& config,
                                             std::string doc) {
    using Group = typename group_of<T>::type;
    if constexpr (Configurable<T>) {
      collect(config.*field.member, prefix + std::string{field.name} + ".", out);
    } else if constexpr (Configurable<Group>) {  // the defaults of its members apply once the group is given
      collect(Group{}, prefix + std::string{field.name} + ".", out);
    } else {
      OptionInfo info{
          prefix + std::string{field.name}, type_name<T>(), spelt(config.*field.member), {}, {}, {}, std::move(doc),
          std::string{field.source}};
      if constexpr (std::is_arithmetic_v<T> || Dimensioned<T>) {
        if (field.least) info.least = spelt(*field.least);
        if (field.most) info.most = spelt(*field.most);
      }
      if constexpr (NamedEnum<T>) info.choices = choices_of<T>();
      if constexpr (is_kinds<T>) info.choices = names_of_kinds<T>();
      out.push_back(std::move(info));
    }
  };
  const auto add_own = [&]<class T>(const Field<Config, T>&) {
    if constexpr (is_kinds<T>)
      for_each_key<T>([&](const auto& f, const auto& standard) { add(f, standard, doc_of_key<T>(f.name)); });
  };
  std::apply([&](const auto&... f) { (add(f, config, std::string{f.doc}), ...), (add_own(f), ...); },
             fields_of<Config>);
}

std::string described(const OptionInfo& option) {
  std::string out = option.key + ": " + option.type;
  if (!option.standard.empty()) out += "; default " + option.standard;
  if (!option.least.empty()) out += "; at least " + option.least;
  if (!option.most.empty()) out += "; at most " + option.most;
  out += "\n    " + option.doc + "\n";
  if (!option.source.empty()) out += "    default from: " + option.source + "\n";
  return out;
}

/// The options of all device kinds and sections with this name, or in a group of this name: "acs", "iommu.walkers".
std::string wherever(std::string_view word) {
  std::string out;
  const auto last = "." + std::string{word};
  for_each_topic([&](const auto& topic) {
    for (const auto& option : options_of(topic.name)) {
      const auto whole = "." + option.key;
      if (!word.empty() && (whole.ends_with(last) || whole.find(last + ".") != std::string::npos))
        out += std::string{topic.name} + "." + described(option);
    }
  });
  return out;
}

std::vector<std::string> topics() {
  std::vector<std::string> names;
  for_each_topic([&](const auto& topic) {
    names.emplace_back(topic.name);
    for (const auto& option : options_of(topic.name)) names.push_back(std::string{topic.name} + "." + option.key);
  });
  return names;
}

/// The names that `wherever` finds: option names without their device kind, "iommu.walkers" and "walkers".
std::vector<std::string> shorter_names() {
  std::vector<std::string> names;
  for_each_topic([&](const auto& topic) {
    for (const auto& option : options_of(topic.name))
      for (std::size_t from = 0;; from = option.key.find('.', from) + 1) {
        names.push_back(option.key.substr(from));
        if (option.key.find('.', from) == std::string::npos) break;
      }
  });
  return names;
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

std::optional<std::string> explain(std::string_view topic) {
  const auto dot = std::min(topic.find('.'), topic.size());
  const auto name = topic.substr(0, dot);
  const auto key = topic.substr(std::min(dot + 1, topic.size()));
  std::string out;
  for_each_topic([&](const auto& known) {
    if (known.name == name && key.empty()) out = std::string{known.name} + ": " + std::string{known.doc} + "\n\n";
  });
  bool found = !out.empty();
  for (const OptionInfo& option : options_of(name)) {
    // "function" stands for the whole group
    if (!key.empty() && option.key != key && !option.key.starts_with(std::string{key} + ".")) continue;
    out += described(option);
    found = true;
  }
  if (!found) out = wherever(topic);
  return out.empty() ? std::nullopt : std::optional{out};
}

std::string nearest_topic(std::string_view word) {
  auto found = nearest(word, topics());
  return found.empty() ? nearest(word, shorter_names()) : found;
}

}  // namespace peerpath::scenario
