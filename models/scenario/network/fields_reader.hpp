// A located tree into structs with `fields()`: types, units, ranges, unknown keys, and whence each value.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "scenario/document.hpp"
#include "scenario/missing_key.hpp"
#include "scenario/read.hpp"
#include "scenario/value.hpp"

namespace peerpath::network_scenario {

using scenario::Node;

/// Reads objects, lists of them, and values. Every problem goes to the report, with its place.
class FieldsReader {
 public:
  FieldsReader(const scenario::Sources& sources, scenario::Report& report, std::filesystem::path folder)
      : sources_{sources}, report_{report}, folder_{std::move(folder)} {}

  /// `node`: nullptr if the object is not given, and all of it by default.
  template <class Config>
  void object(const Node* node, const std::string& at, Config& out) {
    if (node != nullptr && !is(*node, at, Node::Type::object, "an object")) return;
    std::vector<std::string> known;
    const auto each = [&](const auto& field) {
      known.emplace_back(field.name);
      const auto key = scenario::join(at, field.name);
      const auto* found = node == nullptr ? nullptr : node->find(field.name);
      if (found == nullptr)
        note_default(key, out.*field.member, field.source);
      else
        read(*found, key, field, out.*field.member);
    };
    std::apply([&](const auto&... field) { (each(field), ...); }, fields_of<Config>);
    if (node != nullptr) unknown(*node, at, known);
  }

  template <class Config>
  void list(const Node* node, const std::string& at, std::vector<Config>& out) {
    if (node == nullptr || !is(*node, at, Node::Type::array, "a list")) return;
    for (std::size_t i = 0; i < node->items.size(); ++i)
      object(&node->items[i], scenario::join(at, i), out.emplace_back());
  }

  void text(const Node* node, const std::string& at, std::string& out) {
    if (node != nullptr && is(*node, at, Node::Type::string, "a text")) out = node->text;
  }

  void unknown(const Node& node, const std::string& at, const std::vector<std::string>& known) {
    for (const auto& member : node.members) {
      if (std::ranges::find(known, member.key) != known.end()) continue;
      const auto meant = scenario::did_you_mean(member.key, known);
      report_.add(
          member.place, scenario::join(at, member.key),
          std::string{scenario::says_unknown_key} + (meant.empty() ? "; known are " + scenario::listed(known) : meant));
    }
  }

  std::map<std::string, scenario::Origin>& origins() { return origins_; }

 private:
  bool is(const Node& node, const std::string& at, Node::Type type, const char* what) {
    if (node.is(type)) return true;
    report_.add(node.place, at, scenario::shown(node) + " is not " + what);
    return false;
  }

  template <class T>
  void note_default(const std::string& at, const T& value, std::string_view source) {
    if constexpr (Configurable<T>) {
      std::apply([&](const auto&... f) { (note_default(scenario::join(at, f.name), value.*f.member, f.source), ...); },
                 fields_of<T>);
    } else if constexpr (scenario::is_optional<T>) {
      if (value) note_default(at, *value, source);
    } else if constexpr (scenario::is_vector<T>) {
      for (std::size_t i = 0; i < value.size(); ++i) note_default(scenario::join(at, i), value[i], source);
    } else {
      origins_[at].source = source;
    }
  }

  template <class Field, class T>
  void read(const Node& node, const std::string& at, const Field& field, T& out) {
    if constexpr (Configurable<T>) {
      object(&node, at, out);
    } else if constexpr (scenario::is_optional<T>) {
      using Value = typename T::value_type;
      if constexpr (Configurable<Value>) {
        object(&node, at, out.emplace());
      } else {
        Value value{};
        if (scalar(node, at, field.least.value_or(T{}), field.most.value_or(T{}), value)) out = value;
      }
    } else if constexpr (scenario::is_list_of_structs<T>) {
      list(&node, at, out);
    } else if constexpr (scenario::is_vector<T>) {
      elements(node, at, out);
    } else {
      scalar(node, at, field.least, field.most, out);
    }
  }

  /// One value may stand without a list around it. Of sizes one may be nothing.
  template <class T>
  void elements(const Node& node, const std::string& at, std::vector<T>& out) {
    out.clear();
    const bool many = node.is(Node::Type::array);
    std::optional<T> least;
    if constexpr (std::is_same_v<T, Bytes>) least = T{};
    for (std::size_t i = 0; i < (many ? node.items.size() : 1); ++i) {
      T value{};
      if (scalar(many ? node.items[i] : node, scenario::join(at, i), least, std::optional<T>{}, value))
        out.push_back(value);
    }
  }

  template <class T>
  bool scalar(const Node& node, const std::string& at, const std::optional<T>& least, const std::optional<T>& most,
              T& out) {
    const auto value = scenario::scalar<T>(node);
    if (!value) {
      report_.add(node.place, at, value.error());
      return false;
    }
    if (const auto why = scenario::out_of_range(*value, {least, most})) {
      report_.add(node.place, at, *why);
      return false;
    }
    out = *value;
    origins_[at] = scenario::origin_of(node, sources_, folder_);
    return true;
  }

  const scenario::Sources& sources_;
  scenario::Report& report_;
  std::filesystem::path folder_;
  std::map<std::string, scenario::Origin> origins_;
};

}  // namespace peerpath::network_scenario
