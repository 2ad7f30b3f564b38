// Writes typed values as JSON, and the table of the origin of each value.
#include "scenario/write.hpp"

#include "peerpath/scenario/describe.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/write_fields.hpp"

namespace peerpath::scenario {
namespace {

using Json = nlohmann::ordered_json;

void flatten(const Json& value, const std::string& pointer, std::vector<std::pair<std::string, std::string>>& rows) {
  if (value.is_object())
    for (const auto& [key, item] : value.items()) flatten(item, join(pointer, key), rows);
  else if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) flatten(value[i], join(pointer, i), rows);
  else
    rows.emplace_back(pointer, value.is_string() ? value.get<std::string>() : value.dump());
}

void pad(std::string& line, std::size_t width) {
  line.append(line.size() < width ? width - line.size() : 0, ' ');
  line += "  ";
}

}  // namespace

Json written(const Scenario& scenario) {
  Json out = Json::object();
  if (!scenario.description.empty()) out["description"] = scenario.description;
  if (!scenario.source.empty()) out["source"] = scenario.source;
  Json& devices = out["devices"] = Json::object();
  for (const Device& device : scenario.devices) {
    Json& entry = devices[device.name] = Json{{"kind", kind_of(device)}};
    std::visit([&](const auto& config) { entry.update(written_value(config)); }, device.config);
  }
  out["links"] = written_value(scenario.links);
  if (!scenario.inter_socket.empty()) out["inter_socket"] = written_value(scenario.inter_socket);
  if (!scenario.cables.empty()) out["cables"] = written_value(scenario.cables);
  if (!scenario.arbitration.empty()) out["arbitration"] = written_value(scenario.arbitration);
  out["traffic"] = written_value(scenario.traffic);
  if (!scenario.events.empty()) out["events"] = written_value(scenario.events);
  out["run"] = written_value(scenario.run);
  out["emulator"] = written_value(scenario.emulator);
  if (!scenario.sweep.vary.empty() || !scenario.sweep.variants.empty()) out["sweep"] = written_value(scenario.sweep);
  out["expect"] = written_value(scenario.expect);
  return out;
}

std::string to_json(const Scenario& scenario) { return written(scenario).dump(2) + "\n"; }

Json written_origins(const Loaded& loaded) { return written_origins(loaded.origins); }

Json written_origins(const std::map<std::string, Origin>& origins) {
  Json::object_t rows;  // filled from the end, for an object looks its keys up from the start
  rows.reserve(origins.size());
  for (const auto& [pointer, origin] : origins) {
    Json& entry = rows.emplace_back(pointer, Json::object()).second;
    entry["from"] = to_string(origin);
    if (!origin.source.empty()) entry["source"] = origin.source;
  }
  return rows;
}

std::string resolved_text(const Loaded& loaded) { return resolved_text(written(loaded.scenario), loaded.origins); }

std::string resolved_text(const Json& scenario, const std::map<std::string, Origin>& origins) {
  std::vector<std::pair<std::string, std::string>> rows;
  flatten(scenario, "", rows);
  std::size_t keys = 0, values = 0;
  constexpr std::size_t widest = 48;
  for (const auto& [key, value] : rows) {
    keys = std::max(keys, std::min(key.size(), widest));
    values = std::max(values, std::min(value.size(), widest / 2));
  }
  std::string out;
  for (const auto& [key, value] : rows) {
    const auto found = origins.find(key);
    if (found == origins.end()) continue;  // description and source of the file
    std::string line = key;
    pad(line, keys);
    line += value;
    pad(line, keys + 2 + values);
    line += to_string(found->second);
    if (!found->second.source.empty()) line += " (" + found->second.source + ")";
    out += line + "\n";
  }
  return out;
}

}  // namespace peerpath::scenario
