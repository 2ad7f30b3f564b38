// JSON Schema (draft-07) for editors. Device kinds are `if kind then` branches: editors then show the options of that
// kind alone, where `oneOf` would list the mistakes against every kind. The reader, not the schema, decides whether a
// scenario is valid.
#include <nlohmann/json.hpp>

#include "peerpath/scenario/describe.hpp"
#include "scenario/options.hpp"
#include "scenario/schema_fields.hpp"

namespace peerpath::scenario {
namespace {

using Json = nlohmann::ordered_json;

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
    properties["address"] = Json{{"type", "string"},
                                 {"description",
                                  "PCI address in the machine that the preset was made from, such as 0000:3b:00.0; "
                                  "maps the name back to that machine and changes nothing. Absent: unknown"}};
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
      {"description", {{"type", "string"}, {"description", "Purpose of the scenario, in one sentence"}}},
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
      {"sweep", object_schema<Sweep>(doc_of("sweep"), {})},
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
