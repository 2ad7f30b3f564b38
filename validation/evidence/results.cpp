#include "validation/evidence/results.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace peerpath::evidence {
namespace {

using nlohmann::json;

constexpr int results_schema = 1;
/// Less is what compilers differ by.
constexpr double smallest_change = 0.02;

}  // namespace

std::string results_json(std::span<const Row> rows) {
  std::string text = fmt::format("{{\n \"peerpath_evidence_results\": {},\n \"rows\": [", results_schema);
  for (const auto& r : rows) {
    text += fmt::format("{}\n  {{\"set\": {}, \"row\": {}, \"value\": {:.2f}, \"points\": {}",
                        &r == rows.data() ? "" : ",", json(r.set).dump(), json(r.name).dump(), r.value, r.points);
    if (r.most) text += fmt::format(", \"at_most\": {:g}", *r.most);
    text += "}";
  }
  return text + "\n ]\n}\n";
}

tl::expected<std::vector<Row>, Problems> read_results(const std::string& text, const std::string& file) {
  const auto document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("peerpath_evidence_results", 0) != results_schema)
    return tl::unexpected{
        Problems{{file, 0, 0, "/peerpath_evidence_results", "not schema version " + std::to_string(results_schema)}}};
  std::vector<Row> rows;
  for (const auto& item : document.value("rows", json::array())) {
    auto& r = rows.emplace_back(Row{item.value("set", ""),
                                    item.value("row", ""),
                                    item.value("value", 0.0),
                                    {},
                                    item.value("points", std::size_t{0})});
    if (item.contains("at_most")) r.most = item.at("at_most").get<double>();
  }
  return rows;
}

const Row* find(std::span<const Row> rows, std::string_view set, std::string_view name) {
  const auto found = std::ranges::find_if(rows, [&](const Row& r) { return r.set == set && r.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<Change> changes(std::span<const Row> kept, std::span<const Row> now) {
  std::vector<Change> changed;
  for (const auto& r : now) {
    const auto* before = find(kept, r.set, r.name);
    if (!before)
      changed.push_back({r, std::nullopt});
    else if (std::abs(before->value - r.value) > smallest_change)
      changed.push_back({r, before->value});
  }
  return changed;
}

}  // namespace peerpath::evidence
