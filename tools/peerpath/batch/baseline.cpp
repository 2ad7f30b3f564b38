#include "tools/peerpath/batch/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "peerpath/base/glob.hpp"
#include "peerpath/base/nearest.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "validation/compare/runs.hpp"

namespace peerpath::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(std::optional<double> value) { return value ? fmt::format("{}", *value) : "none"; }

/// Reads one document, and collects what is wrong with it.
class BaselineReader {
 public:
  explicit BaselineReader(std::string file) : file_{std::move(file)} {}

  Baseline read(const Json& document) {
    Baseline baseline;
    if (!document.is_object()) {
      add("", "is not a JSON object; --accept writes one");
      return baseline;
    }
    constexpr std::array<std::string_view, 3> known{"metrics", "tolerances", "scenarios"};
    for (const auto& [key, value] : document.items())
      if (std::ranges::find(known, key) == known.end()) {
        const auto near = nearest(key, known);
        add("/" + key, near.empty() ? "unknown key; known are metrics, tolerances, scenarios"
                                    : "unknown key; did you mean \"" + near + "\"?");
      }
    if (document.contains("metrics")) read_metrics(document["metrics"], baseline);
    if (document.contains("tolerances")) read_tolerances(document["tolerances"], baseline);
    if (document.contains("scenarios")) read_scenarios(document["scenarios"], baseline);
    return baseline;
  }
  const Problems& problems() const { return problems_; }

 private:
  void add(const std::string& key, const std::string& message) { problems_.push_back({file_, 0, 0, key, message}); }

  void read_metrics(const Json& list, Baseline& baseline) {
    baseline.metrics.clear();
    for (const auto& item : list)
      if (list.is_array() && item.is_string()) baseline.metrics.push_back(item.get<std::string>());
    if (!list.is_array() || baseline.metrics.size() != list.size() || list.empty())
      add("/metrics", "is not a list of patterns such as \"*.goodput_gbps\"");
  }
  void read_tolerances(const Json& object, Baseline& baseline) {
    baseline.tolerances.clear();
    if (!object.is_object())
      return add("/tolerances", "is not an object of percentages by pattern, such as { \"*_ns\": 2 }");
    for (const auto& [pattern, percent] : object.items()) {
      if (percent.is_number() && percent >= 0)
        baseline.tolerances.push_back({pattern, percent.get<double>()});
      else
        add("/tolerances/" + pattern, "is not a percentage such as 0.5");
    }
  }
  void read_scenarios(const Json& object, Baseline& baseline) {
    if (!object.is_object()) return add("/scenarios", "is not an object of scenarios");
    for (const auto& [name, metrics] : object.items()) {
      auto& values = baseline.scenarios[name];
      if (!metrics.is_object()) add("/scenarios/" + name, "is not an object of metrics");
      if (!metrics.is_object()) continue;
      for (const auto& [metric, value] : metrics.items()) {
        if (!value.is_number() && !value.is_null())
          add("/scenarios/" + name + "/" + metric, "is neither a number nor null");
        else
          values[metric] = value.is_null() ? std::nullopt : std::optional{value.get<double>()};
      }
    }
  }

  std::string file_;
  Problems problems_;
};

bool within(std::optional<double> was, std::optional<double> is, double percent) {
  if (was.has_value() != is.has_value()) return false;
  return !was || std::abs(*is - *was) <= std::abs(*was) * percent / 100;
}

}  // namespace

tl::expected<Baseline, Problems> read_baseline(const std::filesystem::path& file, bool may_be_new) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    if (may_be_new) return Baseline{};
    return tl::unexpected{Problems{{file.string(), 0, 0, "", "there is no such baseline; --accept creates it"}}};
  }
  const auto text = std::filesystem::is_directory(file, error) ? std::nullopt : read_file(file);
  if (!text) return tl::unexpected{Problems{{file.string(), 0, 0, "", "cannot be read"}}};
  Json document;
  try {
    document = Json::parse(*text);
  } catch (const Json::parse_error& e) {
    const auto upto = std::string_view{*text}.substr(0, e.byte > 0 ? e.byte - 1 : 0);
    const auto line = 1 + static_cast<int>(std::ranges::count(upto, '\n'));
    const auto column = static_cast<int>(upto.size() - std::min(upto.rfind('\n') + 1, upto.size())) + 1;
    return tl::unexpected{Problems{{file.string(), line, column, "", "is not valid JSON from here on"}}};
  }
  BaselineReader reader{file.string()};
  auto baseline = reader.read(document);
  if (!reader.problems().empty()) return tl::unexpected{reader.problems()};
  return baseline;
}

std::string to_json(const Baseline& baseline) {
  auto tolerances = Json::object(), scenarios = Json::object();
  for (const auto& [pattern, percent] : baseline.tolerances) tolerances[pattern] = percent;
  for (const auto& [name, metrics] : baseline.scenarios) {
    auto& values = scenarios[name] = Json::object();
    for (const auto& [metric, value] : metrics) values[metric] = value ? Json(*value) : Json();
  }
  return Json{{"metrics", baseline.metrics}, {"tolerances", tolerances}, {"scenarios", scenarios}}.dump(2) + "\n";
}

std::vector<std::string> accept(Baseline& baseline, const std::string& scenario, const study::Summary& outcome) {
  auto& values = baseline.scenarios[scenario];
  values.clear();
  std::vector<std::string> left_out;
  for (const auto& measured : outcome.metrics) {
    const auto named = [&](const std::string& pattern) { return fits_pattern(pattern, measured.metric); };
    if (std::ranges::none_of(baseline.metrics, named)) continue;
    if (compare::has_not_settled(outcome.not_steady, measured.metric))
      left_out.push_back(measured.metric + " has not settled and is not kept; raise run.at_most or run.measure");
    else
      values[measured.metric] = measured.value;
  }
  return left_out;
}

std::vector<std::string> without_verdict(const Baseline& baseline, const std::string& scenario,
                                         const study::Summary& outcome) {
  std::vector<std::string> sentences;
  if (const auto known = baseline.scenarios.find(scenario); known != baseline.scenarios.end())
    for (const auto& [metric, was] : known->second)
      if (compare::has_not_settled(outcome.not_steady, metric))
        sentences.push_back(metric + " has not settled: no verdict; raise run.at_most or run.measure");
  return sentences;
}

std::vector<std::string> drifts(const Baseline& baseline, const std::string& scenario, const study::Summary& outcome) {
  const auto known = baseline.scenarios.find(scenario);
  if (known == baseline.scenarios.end()) return {"is not in the baseline; --accept adds it"};
  std::vector<std::string> sentences;
  for (const auto& [metric, was] : known->second) {
    if (compare::has_not_settled(outcome.not_steady, metric)) continue;
    const auto found = std::ranges::lower_bound(outcome.metrics, metric, {}, &study::Summary::Measured::metric);
    if (found == outcome.metrics.end() || found->metric != metric) {
      sentences.push_back(metric + " is gone, was " + value_text(was));
      continue;
    }
    double percent = 0;
    for (const auto& tolerance : baseline.tolerances)
      if (fits_pattern(tolerance.pattern, metric)) percent = tolerance.percent;
    if (within(was, found->value, percent)) continue;
    auto sentence = fmt::format("{} is {}, was {}", metric, value_text(found->value), value_text(was));
    if (was && found->value && *was != 0) sentence += fmt::format(" ({:+.3g} %)", (*found->value / *was - 1) * 100);
    sentences.push_back(sentence + fmt::format("; tolerance {} %", percent));
  }
  return sentences;
}

}  // namespace peerpath::cli
