// JSON Schema (draft-07) for editors. Device kinds are `if kind then` branches: editors then show the options of that
// kind alone, where `oneOf` would list the mistakes against every kind. The reader, not the schema, decides whether a
// scenario is valid.
#include <nlohmann/json.hpp>

#include "peerpath/scenario/describe.hpp"
#include "scenario/kinds.hpp"
#include "scenario/options.hpp"
#include "scenario/value.hpp"

namespace peerpath::scenario {
namespace {

using Json = nlohmann::ordered_json;

const char* pattern_of(std::string_view what) {
  if (what == "size") return "^[0-9]+(\\.[0-9]+)?(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$";
  if (what == "rate") return "^[0-9]+(\\.[0-9]+)?(bps|kbps|Mbps|Gbps|Tbps)$";
  return "^[0-9]+(\\.[0-9]+)?(fs|ps|ns|us|ms|s)$";
}

template <class Config>
Json properties_of();

template <class T>
Json type_schema() {
  if constexpr (is_optional<T>)
    return type_schema<typename T::value_type>();
  else if constexpr (is_vector<T>)
    return {{"oneOf",
             {type_schema<typename T::value_type>(),
              Json{{"type", "array"}, {"minItems", 1}, {"items", type_schema<typename T::value_type>()}}}}};
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
Json field_schema(const Field<Config, T>& field, const T& standard, std::string doc) {
  Json out = type_schema<T>();
  if constexpr (Dimensioned<T>) {  // JSON Schema has no ranges for texts
    if (field.least) doc += "; at least " + in_words(*field.least);
    if (field.most) doc += "; at most " + in_words(*field.most);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (field.least) out["minimum"] = *field.least;
    if (field.most) out["maximum"] = *field.most;
  }
  out["description"] = doc + (field.source.empty() ? "" : " (default: " + std::string{field.source} + ")");
  if constexpr (is_vector<T>) {
    if (standard.size() == 1) out["default"] = to_json_value(standard[0]);
  } else if constexpr (is_kinds<T>) {
    out["default"] = names_of_kinds<T>()[standard.index()];
  } else if constexpr (!is_optional<T> && !Configurable<T>) {
    const Json value = to_json_value(standard);
    if (value != Json("")) out["default"] = value;
  }
  return out;
}

template <class Config>
Json properties_of() {
  Json out = Json::object();
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

Json extends_schema() {
  return {{"description", "Files that this object starts from, changed by what stands here (JSON Merge Patch)"},
          {"oneOf", {Json{{"type", "string"}}, Json{{"type", "array"}, {"items", {{"type", "string"}}}}}}};
}

Json source_schema() {
  return {
      {"description", "What the values are based on: one text for all, or texts by key"},
      {"oneOf", {Json{{"type", "string"}}, Json{{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}}}};
}

// Keys that any object may have beside its own options.
Json with_common(Json properties) {
  properties["extends"] = extends_schema();
  properties["source"] = source_schema();
  return properties;
}

template <class Config>
Json object_schema(std::string_view doc, std::vector<std::string> required) {
  Json out{{"type", "object"},
           {"description", doc},
           {"properties", with_common(properties_of<Config>())},
           {"additionalProperties", false}};
  if (!required.empty()) out["required"] = required;
  return out;
}

/// For each of the alternatives of `Kinds` the keys that mean nothing for it are forbidden. Without `kind` an entry is
/// of the first.
template <class Kinds>
Json by_alternative(Json entry) {
  for_each_alternative<Kinds>([&]<class What>(const What&) {
    Json foreign = Json::object();
    for (const auto key : keys_of_kinds<Kinds>())
      if (!has_key<What>(key)) foreign[std::string{key}] = false;
    Json condition{{"properties", {{"kind", {{"const", What::name}}}}}};
    if (!std::is_same_v<What, std::variant_alternative_t<0, Kinds>>) condition["required"] = {"kind"};
    entry["allOf"].push_back({{"if", condition}, {"then", {{"properties", foreign}}}});
  });
  return entry;
}

Json device_schema() {
  Json kinds_enum = Json::array(), branches = Json::array();
  for_each_kind([&]<class Config>(const Kind<Config>& kind) {
    kinds_enum.push_back(kind.name);
    Json properties = with_common(properties_of<Config>());
    properties["kind"] = Json{{"const", kind.name}, {"description", kind.doc}};
    branches.push_back({{"if", {{"properties", {{"kind", {{"const", kind.name}}}}}, {"required", {"kind"}}}},
                        {"then", {{"properties", properties}, {"additionalProperties", false}}}});
  });
  // A device that takes its kind from a preset is checked by the reader alone.
  return {{"type", "object"}, {"properties", {{"kind", {{"enum", kinds_enum}}}}}, {"allOf", branches}};
}

/// Machines by name: what stands in each is as at the top.
Json hosts_schema(const Json& top, const std::string& doc) {
  Json machine = with_common(properties_of<HostConfig>());
  for (const auto* key : {"devices", "links", "inter_socket", "arbitration"}) machine[key] = top[key];
  return {{"type", "object"},
          {"description", doc},
          {"additionalProperties", {{"type", "object"}, {"properties", machine}, {"additionalProperties", false}}},
          {"propertyNames", {{"pattern", "^[A-Za-z0-9_-]+$"}}}};
}

}  // namespace

std::string schema_json() {
  const auto doc_of = [](std::string_view name) {
    for (const Entry& entry : sections())
      if (entry.name == name) return entry.doc;
    return std::string{};
  };
  const auto list = [](Json items) { return Json{{"type", "array"}, {"items", std::move(items)}}; };
  Json properties{
      {"$schema", {{"type", "string"}}},
      {"description", {{"type", "string"}, {"description", "What the scenario shows, in one sentence"}}},
      {"source", source_schema()},
      {"extends", extends_schema()},
      {"devices",
       {{"type", "object"},
        {"additionalProperties", device_schema()},
        {"propertyNames", {{"pattern", "^([A-Za-z0-9_-]+\\[[0-9]+\\]\\.)?[A-Za-z0-9_-]+$"}}}}},
      {"links", list(object_schema<Link>(doc_of("link"), {"from", "to"}))},
      {"inter_socket", list(object_schema<InterSocket>(doc_of("inter_socket"), {"from", "to"}))},
      {"cables", list(object_schema<Cable>(doc_of("cable"), {"from", "to"}))},
      {"arbitration", list(object_schema<Weight>(doc_of("arbitration"), {"at", "from", "to", "turns"}))},
      {"traffic",
       list(by_alternative<decltype(Traffic::what)>(object_schema<Traffic>(doc_of("traffic"), {"from", "to"})))},
      {"events",
       list(by_alternative<decltype(Event::what)>(object_schema<Event>(doc_of("event"), {"at", "kind", "device"})))},
      {"run", object_schema<Run>(doc_of("run"), {})},
      {"emulator", object_schema<Emulator>(doc_of("emulator"), {})},
      {"expect", list(object_schema<Expectation>(doc_of("expect"), {"metric"}))}};
  properties["hosts"] = hosts_schema(properties, doc_of("host"));
  const Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "peerpath scenario"},
                    {"type", "object"},
                    {"properties", std::move(properties)},
                    {"additionalProperties", false}};
  return schema.dump(2) + "\n";
}

}  // namespace peerpath::scenario
