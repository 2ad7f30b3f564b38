// A tree of JSON into structs with `fields()`: types, units, ranges, unknown keys.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "scenario/document.hpp"
#include "scenario/value.hpp"

namespace peerpath::network_tool {

/// Reads objects, lists of them, and values. Every problem goes to the report, with its place.
class FieldsReader {
 public:
  explicit FieldsReader(scenario::Report& report) : report_{report} {}

  template <class Config>
  void object(const scenario::Node& node, const std::string& at, Config& out) {
    if (!is(node, at, scenario::Node::Type::object, "an object")) return;
    std::vector<std::string> known;
    const auto each = [&](const auto& field) {
      known.emplace_back(field.name);
      const auto* found = node.find(field.name);
      if (found != nullptr) read(*found, scenario::join(at, field.name), field, out.*field.member);
    };
    std::apply([&](const auto&... field) { (each(field), ...); }, fields_of<Config>);
    unknown(node, at, known);
  }

  template <class Config>
  void list(const scenario::Node& node, const std::string& at, std::vector<Config>& out) {
    if (!is(node, at, scenario::Node::Type::array, "a list")) return;
    for (std::size_t i = 0; i < node.items.size(); ++i)
      object(node.items[i], scenario::join(at, i), out.emplace_back());
  }

  void unknown(const scenario::Node& node, const std::string& at, const std::vector<std::string>& known) {
    for (const auto& member : node.members) {
      if (std::ranges::find(known, member.key) != known.end()) continue;
      const auto meant = scenario::did_you_mean(member.key, known);
      report_.add(member.place, scenario::join(at, member.key),
                  "unknown key" + (meant.empty() ? "; known are " + scenario::listed(known) : meant));
    }
  }

 private:
  bool is(const scenario::Node& node, const std::string& at, scenario::Node::Type type, const char* what) {
    if (node.is(type)) return true;
    report_.add(node.place, at, scenario::shown(node) + " is not " + what);
    return false;
  }

  template <class Field, class T>
  void read(const scenario::Node& node, const std::string& at, const Field& field, T& out) {
    if constexpr (Configurable<T>) {
      object(node, at, out);
    } else if constexpr (scenario::is_optional<T>) {
      using Value = typename T::value_type;
      if constexpr (Configurable<Value>) {
        object(node, at, out.emplace());
      } else {
        Value value{};
        if (scalar(node, at, field.least.value_or(T{}), field.most.value_or(T{}), value)) out = value;
      }
    } else if constexpr (scenario::is_vector<T>) {
      elements(node, at, out);
    } else {
      scalar(node, at, field.least, field.most, out);
    }
  }

  template <class T>
  void elements(const scenario::Node& node, const std::string& at, std::vector<T>& out) {
    if constexpr (Configurable<T>) {
      list(node, at, out);
    } else {
      out.clear();
      const bool many = node.is(scenario::Node::Type::array);
      for (std::size_t i = 0; i < (many ? node.items.size() : 1); ++i) {
        T value{};
        if (scalar(many ? node.items[i] : node, many ? scenario::join(at, i) : at, std::optional<T>{},
                   std::optional<T>{}, value))
          out.push_back(value);
      }
    }
  }

  template <class T>
  bool scalar(const scenario::Node& node, const std::string& at, const std::optional<T>& least,
              const std::optional<T>& most, T& out) {
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
    return true;
  }

  scenario::Report& report_;
};

}  // namespace peerpath::network_tool
