#include "validation/calibrate/preset.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "validation/calibrate/play.hpp"

namespace peerpath::calibrate {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int calibration_schema = 1;
constexpr double root_complex_ns = 150, propagation_ns = 10;

std::string nanoseconds(double ns) { return std::to_string(std::llround(std::max(ns, 1.0))) + "ns"; }
std::string gigabits(double gigabytes) { return std::to_string(std::llround(8 * gigabytes)) + "Gbps"; }

std::string provenance(const Calibration& calibration, const compare::Dataset& dataset) {
  return "peerpath calibrate on " + dataset.file.substr(dataset.file.rfind('/') + 1) + " (" +
         dataset.gpus.front().name + ", " + dataset.processor + ", " + dataset.driver + ", measured " +
         dataset.started + "): " + std::to_string(calibration.points) + " of " + std::to_string(dataset.points.size()) +
         " points fitted, the third, sixth, ninth ... of each curve; "
         "least squares of log(predicted / measured) with Ceres";
}

const Estimate& estimate(const Calibration& calibration, std::string_view name) {
  return *std::ranges::find(calibration.estimates, name, &Estimate::name);
}

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
    return tl::unexpected{
        Problems{{file, 0, 0, "/peerpath_calibration", "not schema version " + std::to_string(calibration_schema)}}};
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

std::string scenario_preset(const Calibration& calibration, const compare::Dataset& dataset) {
  const auto& gpu = dataset.gpus.front();
  const auto& p = calibration.parameters;
  const auto source = provenance(calibration, dataset);
  const auto size = [](std::int64_t bytes) { return std::to_string(bytes) + "B"; };
  ordered_json dram{
      {"kind", "host_memory"},
      {"at", "rc"},
      {"read_latency", nanoseconds((1 - gpu_share) * p.read_latency - 2 * root_complex_ns - 2 * propagation_ns)}};
  ordered_json dram_source{{"read_latency", "fitted read_latency less " + nanoseconds(gpu_share * p.read_latency) +
                                                " in the GPU and " +
                                                nanoseconds(2 * root_complex_ns + 2 * propagation_ns) +
                                                " on the way, both assumed: only the sum was measured"}};
  for (const auto& [key, name] : {std::pair{"read_rate", "host_read_rate"}, {"write_rate", "host_write_rate"}})
    if (const auto& e = estimate(calibration, name); e.identifiable) {
      dram[key] = gigabits(e.value);
      dram_source[key] = "fitted";
    }
  dram["source"] = dram_source;
  const ordered_json document{
      {"description", source},
      {"devices",
       {{"rc",
         {{"kind", "root_complex"},
          {"latency", nanoseconds(root_complex_ns)},
          {"source", "assumed: a part of read_latency"}}},
        {"dram", dram},
        {"gpu0",
         {{"kind", "gpu"},
          {"function",
           {{"max_payload_supported", size(gpu.max_payload)},
            {"max_payload", size(gpu.max_payload)},
            {"max_read_request", size(gpu.max_read_request)}}},
          {"copy_setup", nanoseconds(p.setup_to)},
          {"source", {{"function", "read from its configuration space"}, {"copy_setup", "fitted: setup_to"}}}}}}},
      {"links",
       {{{"from", "rc"},
         {"to", "gpu0"},
         {"generation", gpu.link.generation},
         {"width", gpu.link.width},
         {"link_share", std::round(1e6 * p.link_share) / 1e6}}}}};
  return document.dump(2) + "\n";
}

}  // namespace peerpath::calibrate
