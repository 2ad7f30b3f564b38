#include "validation/calibrate/preset.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace peerpath::calibrate {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int calibration_schema = 1;

/// One sentence for a calibration that this version cannot take.
Problems written_by_another_version(const std::string& file, const std::string& how) {
  return {{file, 0, 0, "", "was written " + how + ": fit the dataset again with `peerpath calibrate DATASET -o FILE`"}};
}

/// Name of a parameter that the file lacks, or of one that no longer exists; "" if there is none.
std::string other_parameter(const json& document) {
  const auto& written = document.contains("parameters") ? document["parameters"] : json::object();
  std::set<std::string, std::less<>> known;
  for (const auto& parameter : varied) known.emplace(parameter.name);
  for (const auto& parameter : chosen) known.emplace(parameter.name);
  for (const auto& name : known)
    if (!written.contains(name)) return name + " is missing";
  for (const auto& [name, value] : written.items())
    if (!known.contains(name)) return name + " is unknown";
  return "";
}

}  // namespace

std::string provenance(const Calibration& calibration, const compare::Dataset& dataset) {
  return "peerpath calibrate on " + dataset.file.substr(dataset.file.rfind('/') + 1) + " (" +
         dataset.gpus.front().name + ", " + dataset.processor + ", " + dataset.driver + ", measured " +
         dataset.started + "): " + std::to_string(calibration.points) + " of " + std::to_string(dataset.points.size()) +
         " points fitted, the third, sixth, ninth ... of each curve; "
         "least squares of log(predicted / measured) with Ceres";
}

namespace {

template <class Table>
void take_values(const Table& table, const json& document, const std::string& file, Calibration& calibration,
                 Problems& problems) {
  for (const auto& parameter : table) {
    const std::string name{parameter.name};
    const auto& found = document.contains("parameters") ? document["parameters"].value(name, json{}) : json{};
    if (!found.is_object() || !found.contains("value") || !found["value"].is_number()) {
      problems.push_back({file, 0, 0, "/parameters/" + name, "has no value"});
      continue;
    }
    Estimate e{name, std::string{parameter.unit}, std::string{parameter.meaning}};
    e.value = found["value"];
    e.low = found.value("low", e.value);
    e.high = found.value("high", e.value);
    e.identifiable = found.value("identifiable", false);
    e.why_not = found.value("why_not", "");
    calibration.parameters.*parameter.member = e.value;
    calibration.estimates.push_back(std::move(e));
  }
}

}  // namespace

std::string calibration_json(const Calibration& calibration, const compare::Dataset& dataset) {
  ordered_json document{{"peerpath_calibration", calibration_schema},
                        {"provenance", provenance(calibration, dataset)},
                        {"fitted_points", calibration.points},
                        {"rms_error", calibration.rms}};
  for (const auto& e : calibration.estimates) {
    ordered_json item{
        {"value", e.value}, {"unit", e.unit}, {"low", e.low}, {"high", e.high}, {"identifiable", e.identifiable}};
    if (!e.identifiable) item["why_not"] = e.why_not;
    item["meaning"] = e.meaning;
    document["parameters"][e.name] = item;
  }
  return document.dump(2) + "\n";
}

tl::expected<Calibration, Problems> read_calibration(const std::string& text, const std::string& file) {
  const auto document = json::parse(text, nullptr, false);
  Problems problems;
  if (!document.is_object()) return tl::unexpected{Problems{{file, 1, 1, "", "not a JSON object"}}};
  if (document.value("peerpath_calibration", 0) != calibration_schema)
    return tl::unexpected{written_by_another_version(
        file, "by another version of peerpath (its schema is not " + std::to_string(calibration_schema) + ")")};
  if (const auto what = other_parameter(document); !what.empty())
    return tl::unexpected{written_by_another_version(file, "for other parameters (" + what + ")")};
  Calibration calibration;
  take_values(varied, document, file, calibration, problems);
  take_values(chosen, document, file, calibration, problems);
  calibration.points = document.value("fitted_points", std::size_t{0});
  calibration.rms = document.value("rms_error", 0.0);
  calibration.provenance = document.value("provenance", "unknown");
  for (const auto& parameter : varied) {
    const auto value = calibration.parameters.*parameter.member;
    if (value < parameter.least || value > parameter.most)
      problems.push_back({file, 0, 0, "/parameters/" + std::string{parameter.name}, "is out of its range"});
  }
  if (!problems.empty()) return tl::unexpected{problems};
  return calibration;
}

bool is_fitted_to(const Calibration& calibration, const compare::Dataset& dataset) {
  return calibration.provenance.empty() ||
         calibration.provenance.find(", measured " + dataset.started + ")") != std::string::npos;
}

}  // namespace peerpath::calibrate
