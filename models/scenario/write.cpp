// Writes typed values as JSON, and the table of the origin of each value.
#include "scenario/write.hpp"

#include <algorithm>

#include "peerpath/scenario/describe.hpp"
#include "scenario/absent_fields.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/write_fields.hpp"

namespace peerpath::scenario {
namespace {

using Json = nlohmann::ordered_json;

/// A line of `show --resolved`.
struct Row {
  std::string pointer, value, whence;
};

/// Rows of all values in the order of the document, and behind those of an object its absent options.
class Flattened {
 public:
  Flattened(const std::map<std::string, Origin>& origins, const Absent& absent) : origins_{origins} {
    for (const auto& [pointer, meaning] : absent)
      absent_[pointer.substr(0, pointer.rfind('/'))].push_back({pointer, "(absent)", meaning});
  }

  void add(const Json& value, const std::string& pointer) {
    if (value.is_object()) {
      for (const auto& [key, item] : value.items()) add(item, join(pointer, key));
      if (const auto found = absent_.find(pointer); found != absent_.end())
        rows_.insert(rows_.end(), found->second.begin(), found->second.end());
    } else if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) add(value[i], join(pointer, i));
    } else if (const auto found = origins_.find(pointer); found != origins_.end()) {
      const auto& source = found->second.source;
      rows_.push_back({pointer, value.is_string() ? value.get<std::string>() : value.dump(),
                       to_string(found->second) + (source.empty() ? "" : " (" + source + ")")});
    }  // description and source of the file come from nowhere else
  }

  const std::vector<Row>& rows() const { return rows_; }

 private:
  const std::map<std::string, Origin>& origins_;
  std::map<std::string, std::vector<Row>> absent_;  ///< by the pointer of their object
  std::vector<Row> rows_;
};

/// Calls `use` with the name and the value of each section but `devices`, in the order of a file.
template <class Use>
void for_each_section(const Scenario& s, const Use& use) {
  use("links", s.links);
  if (!s.inter_socket.empty()) use("inter_socket", s.inter_socket);
  if (!s.cables.empty()) use("cables", s.cables);
  if (!s.arbitration.empty()) use("arbitration", s.arbitration);
  use("traffic", s.traffic);
  if (!s.events.empty()) use("events", s.events);
  use("run", s.run);
  use("emulator", s.emulator);
  if (!s.sweep.vary.empty() || !s.sweep.variants.empty()) use("sweep", s.sweep);
  use("expect", s.expect);
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
  for_each_section(scenario, [&](const char* name, const auto& section) { out[name] = written_value(section); });
  return out;
}

std::string_view meaning_of_absence(std::string_view doc) {
  for (const std::string_view word : {"absent: ", "Absent: "}) {
    const auto at = doc.find(word);
    if (at == doc.npos) continue;
    const auto meaning = doc.substr(at + word.size());
    return meaning.substr(0, meaning.find(". "));
  }
  return {};
}

Absent absent(const Scenario& scenario) {
  Absent out;
  for (const Device& device : scenario.devices)
    std::visit([&](const auto& config) { collect_absent(config, join("/devices", device.name), out); }, device.config);
  for_each_section(scenario, [&](const char* name, const auto& section) {
    collect_absent(section, join("", std::string_view{name}), out);
  });
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

std::string resolved_text(const Loaded& loaded) {
  return resolved_text(written(loaded.scenario), loaded.origins, absent(loaded.scenario));
}

std::string resolved_text(const Json& scenario, const std::map<std::string, Origin>& origins, const Absent& absent) {
  Flattened flat{origins, absent};
  flat.add(scenario, "");
  std::size_t keys = 0, values = 0;
  constexpr std::size_t widest = 48;
  for (const auto& row : flat.rows()) {
    keys = std::max(keys, std::min(row.pointer.size(), widest));
    values = std::max(values, std::min(row.value.size(), widest / 2));
  }
  std::string out;
  for (const auto& row : flat.rows()) {
    std::string line = row.pointer;
    pad(line, keys);
    line += row.value;
    pad(line, keys + 2 + values);
    out += line + row.whence + "\n";
  }
  return out;
}

}  // namespace peerpath::scenario
