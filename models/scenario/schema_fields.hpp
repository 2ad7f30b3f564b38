// JSON Schema of structs with `fields()`.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "scenario/kinds.hpp"
#include "scenario/value.hpp"

namespace peerpath::scenario {

inline const char* pattern_of(std::string_view what) {
  if (what == "size") return "^[0-9]+(\\.[0-9]+)?(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$";
  if (what == "rate") return "^[0-9]+(\\.[0-9]+)?(bps|kbps|Mbps|Gbps|Tbps)$";
  return "^[0-9]+(\\.[0-9]+)?(fs|ps|ns|us|ms|s)$";
}

template <class Config>
nlohmann::ordered_json properties_of();

template <class T>
nlohmann::ordered_json type_schema() {
  if constexpr (is_optional<T>)
    return type_schema<typename T::value_type>();
  else if constexpr (is_list_of_structs<T>)
    return {{"type", "array"}, {"items", type_schema<typename T::value_type>()}};
  else if constexpr (is_vector<T>)
    return {{"oneOf",
             {type_schema<typename T::value_type>(),
              nlohmann::ordered_json{
                  {"type", "array"}, {"minItems", 1}, {"items", type_schema<typename T::value_type>()}}}}};
  else if constexpr (Configurable<T>)
    return {{"type", "object"}, {"properties", properties_of<T>()}, {"additionalProperties", false}};
  else if constexpr (std::is_same_v<T, bool>)
    return {{"type", "boolean"}};
  else if constexpr (std::is_integral_v<T>)
    return {{"type", "integer"}};
  else if constexpr (std::is_floating_point_v<T>)
    return {{"type", "number"}};
  else if constexpr (Dimensioned<T>)
    return {{"type", "string"},
            {"pattern", pattern_of(dimension_of<T>().what)},
            {"examples", {std::string{dimension_of<T>().example}}}};
  else if constexpr (std::is_same_v<T, BusAddress>)
    return {{"type", "string"}, {"pattern", "^0x[0-9a-fA-F]{1,16}$"}};
  else if constexpr (NamedEnum<T>)
    return {{"enum", choices_of<T>()}};
  else if constexpr (is_kinds<T>)
    return {{"enum", names_of_kinds<T>()}};
  else
    return {{"type", "string"}};
}

template <class Config, class T>
nlohmann::ordered_json field_schema(const Field<Config, T>& field, const T& standard, std::string doc) {
  nlohmann::ordered_json out = type_schema<T>();
  if constexpr (Dimensioned<T>) {  // JSON Schema has no ranges for texts
    if (field.least) doc += "; at least " + in_words(*field.least);
    if (field.most) doc += "; at most " + in_words(*field.most);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (field.least) out["minimum"] = *field.least;
    if (field.most) out["maximum"] = *field.most;
  }
  out["description"] = doc + (field.source.empty() ? "" : " (default: " + std::string{field.source} + ")");
  if constexpr (is_list_of_structs<T>) {
  } else if constexpr (is_vector<T>) {
    if (standard.size() == 1) out["default"] = to_json_value(standard[0]);
  } else if constexpr (is_kinds<T>) {
    out["default"] = names_of_kinds<T>()[standard.index()];
  } else if constexpr (!is_optional<T> && !Configurable<T>) {
    const nlohmann::ordered_json value = to_json_value(standard);
    if (value != nlohmann::ordered_json("")) out["default"] = value;
  }
  return out;
}

template <class Config>
nlohmann::ordered_json properties_of() {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  const Config standard{};
  std::apply(
      [&](const auto&... f) {
        ((out[std::string{f.name}] = field_schema(f, standard.*f.member, std::string{f.doc})), ...);
      },
      fields_of<Config>);
  const auto add_own = [&]<class T>(const Field<Config, T>&) {
    if constexpr (is_kinds<T>)
      for_each_key<T>([&](const auto& f, const auto& of_kind) {
        out[std::string{f.name}] = field_schema(f, of_kind.*f.member, doc_of_key<T>(f.name));
      });
  };
  std::apply([&](const auto&... f) { (add_own(f), ...); }, fields_of<Config>);
  return out;
}

inline nlohmann::ordered_json extends_schema() {
  return {{"description", "Files that this object is based on; its own keys are applied as a JSON Merge Patch"},
          {"oneOf",
           {nlohmann::ordered_json{{"type", "string"}},
            nlohmann::ordered_json{{"type", "array"}, {"items", {{"type", "string"}}}}}}};
}

inline nlohmann::ordered_json source_schema() {
  return {{"description", "Source of the values: one text for all, or texts by key"},
          {"oneOf",
           {nlohmann::ordered_json{{"type", "string"}},
            nlohmann::ordered_json{{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}}}};
}

// Keys that any object may have beside its own options.
inline nlohmann::ordered_json with_common(nlohmann::ordered_json properties) {
  properties["extends"] = extends_schema();
  properties["source"] = source_schema();
  return properties;
}

template <class Config>
nlohmann::ordered_json object_schema(std::string_view doc, std::vector<std::string> required) {
  nlohmann::ordered_json out{{"type", "object"},
                             {"description", doc},
                             {"properties", with_common(properties_of<Config>())},
                             {"additionalProperties", false}};
  if (!required.empty()) out["required"] = required;
  return out;
}

}  // namespace peerpath::scenario
