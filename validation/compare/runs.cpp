#include "validation/compare/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "peerpath/base/nearest.hpp"

namespace peerpath::compare {
namespace {

using Json = nlohmann::json;

enum class Wanted : std::uint8_t { more, less, neither };

struct ShownMetric {
  std::string_view suffix;
  Wanted wanted;
  bool of_entry = false;  ///< of one traffic entry; others are of hardware that all entries share
};

/// Metrics that a comparison shows, by the end of their names; the first that fits.
constexpr std::array shown_metrics{
    ShownMetric{".goodput_gbps", Wanted::more, true}, ShownMetric{".latency_p50_ns", Wanted::less, true},
    ShownMetric{".latency_p99_ns", Wanted::less, true}, ShownMetric{".loss_percent", Wanted::less, true},
    ShownMetric{".payload_crossings", Wanted::neither}, ShownMetric{".cores_busy", Wanted::neither},
    ShownMetric{".busiest_core_percent", Wanted::neither}, ShownMetric{".utilisation_percent", Wanted::neither},
    // of networks
    ShownMetric{".time_us", Wanted::less, true}, ShownMetric{".latency_p50_us", Wanted::less, true},
    ShownMetric{".latency_p99_us", Wanted::less, true}, ShownMetric{"network.dropped", Wanted::less},
    ShownMetric{"network.paused_us", Wanted::less}, ShownMetric{"network.queue_peak_bytes", Wanted::less}};

const ShownMetric* shown(std::string_view metric) {
  const auto* found =
      std::ranges::find_if(shown_metrics, [&](const ShownMetric& kind) { return metric.ends_with(kind.suffix); });
  return found == shown_metrics.end() ? nullptr : found;
}

struct MetricValue {
  std::string unit;
  std::optional<double> value, half_width;
};

struct MetricRun {
  std::vector<std::string> order;
  std::map<std::string, MetricValue> metrics;
  double precision = 1;
  std::string bottleneck;
  std::vector<std::string> not_steady;
};

std::optional<double> number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? std::nullopt : std::optional{found->get<double>()};
}

MetricRun read_run(const std::string& document) {
  const auto all = Json::parse(document);
  MetricRun run;
  for (const auto& metric : all.at("metrics")) {
    const auto name = metric.at("name").get<std::string>();
    if (shown(name) == nullptr) continue;
    run.order.push_back(name);
    run.metrics[name] = {metric.at("unit").get<std::string>(), number(metric, "value"), number(metric, "half_width")};
  }
  run.bottleneck = all.at("bottleneck").get<std::string>();
  if (all.contains("steady")) run.not_steady = all.at("steady").at("warnings").get<std::vector<std::string>>();
  const auto settings = all.at("scenario").find("run");
  if (settings != all.at("scenario").end()) run.precision = number(*settings, "precision").value_or(1);
  return run;
}

RunLine::Verdict verdict_of(const RunLine& line, Wanted wanted, const std::array<double, 2>& precision) {
  if (!line.value[0] || !line.value[1]) return RunLine::Verdict::only_one;
  double squares = 0;
  for (const std::size_t i : {0, 1}) {
    const auto half = line.half_width[i].value_or(std::abs(*line.value[i]) * precision[i] / 100);
    squares += half * half;
  }
  const auto difference = *line.value[1] - *line.value[0];
  if (std::abs(difference) <= std::sqrt(squares)) return RunLine::Verdict::no_difference;
  if (wanted == Wanted::neither) return difference > 0 ? RunLine::Verdict::more : RunLine::Verdict::less;
  return (difference > 0) == (wanted == Wanted::more) ? RunLine::Verdict::better : RunLine::Verdict::worse;
}

}  // namespace

bool has_not_settled(const std::vector<std::string>& warnings, const std::string& metric) {
  const auto* kind = shown(metric);
  if (kind != nullptr && !kind->of_entry)
    return std::ranges::any_of(warnings, [](const std::string& warning) {
      return std::ranges::any_of(std::array{" has not settled", " grow by ", " shrink by "},
                                 [&](const char* words) { return warning.find(words) != warning.npos; });
    });
  const auto entry = metric.substr(0, metric.rfind('.'));
  return std::ranges::any_of(warnings, [&](const std::string& warning) {
    const auto about = warning.substr(0, warning.find_first_of(" :"));
    const auto rest = std::string_view{warning}.substr(about.size());
    const bool moves = rest.starts_with(" has not settled");
    if (about == metric) return moves;
    return about == entry && (moves || metric.find(".latency_") != metric.npos);
  });
}

std::optional<double> RunLine::change_percent() const {
  if (!value[0] || !value[1] || *value[0] == 0) return std::nullopt;
  return (*value[1] / *value[0] - 1) * 100;
}

tl::expected<RunComparison, std::string> compare_runs(const std::string& first, const std::string& second) {
  RunComparison comparison;
  std::array<MetricRun, 2> runs;
  const char* which = "the first";
  try {
    runs[0] = read_run(first);
    which = "the second";
    runs[1] = read_run(second);
  } catch (const std::exception& e) {
    return tl::unexpected{std::string{which} + " is not the results.json of a run: " + e.what()};
  }
  auto names = runs[0].order;
  for (const auto& name : runs[1].order)
    if (!runs[0].metrics.contains(name)) names.push_back(name);
  for (const auto& name : names) {
    RunLine line{name, {}, {}, {}, {}};
    bool anything = false;
    for (const std::size_t i : {0, 1}) {
      const auto found = runs[i].metrics.find(name);
      if (found == runs[i].metrics.end()) continue;
      line.unit = found->second.unit;
      line.value[i] = found->second.value;
      line.half_width[i] = found->second.half_width;
      anything = anything || found->second.value.value_or(0) != 0;
    }
    if (!anything) continue;  // 0 in both
    line.verdict = verdict_of(line, shown(name)->wanted, {runs[0].precision, runs[1].precision});
    const bool unsettled = has_not_settled(runs[0].not_steady, name) || has_not_settled(runs[1].not_steady, name);
    if (unsettled && line.verdict != RunLine::Verdict::only_one) line.verdict = RunLine::Verdict::not_settled;
    comparison.lines.push_back(std::move(line));
  }
  for (const std::size_t i : {0, 1}) {
    comparison.bottleneck[i] = runs[i].bottleneck;
    comparison.not_steady[i] = runs[i].not_steady;
  }
  return comparison;
}

bool has_whole_transfers(const std::string& document) {
  const auto all = Json::parse(document, nullptr, false);
  if (all.is_discarded() || !all.contains("scenario") || !all["scenario"].contains("traffic")) return false;
  const auto& traffic = all["scenario"]["traffic"];
  return !traffic.empty() && std::ranges::all_of(traffic, [](const Json& entry) {
    return entry.contains("bytes") && entry["bytes"].is_string() && entry["bytes"] != "0B";
  });
}

tl::expected<FailIf, std::string> read_fail_if(const std::string& text) {
  const auto wrong = [&] {
    return tl::unexpected{"\"" + text +
                          "\" is no rule; one is \"rx.goodput_gbps drops 1%\" or \"rx.latency_p99_ns rises 5%\""};
  };
  const auto first = text.find(' '), second = text.find(' ', first + 1);
  if (first == text.npos || second == text.npos || !text.ends_with('%')) return wrong();
  FailIf rule;
  rule.metric = text.substr(0, first);
  const auto word = text.substr(first + 1, second - first - 1);
  if (word != "drops" && word != "rises") return wrong();
  rule.drops = word == "drops";
  const auto amount = text.substr(second + 1, text.size() - second - 2);
  char* end = nullptr;
  rule.percent = std::strtod(amount.c_str(), &end);
  if (amount.empty() || *end != '\0' || !(rule.percent >= 0) || rule.percent > 1e6) return wrong();
  return rule;
}

tl::expected<bool, std::string> breaks(const RunComparison& comparison, const FailIf& rule) {
  const auto line = std::ranges::find(comparison.lines, rule.metric, &RunLine::metric);
  if (line == comparison.lines.end()) {
    std::vector<std::string> names;
    for (const auto& known : comparison.lines) names.push_back(known.metric);
    const auto near = nearest(rule.metric, names);
    return tl::unexpected{
        "no metric of the comparison is called \"" + rule.metric + "\"" +
        (near.empty() ? "; the table names those that are not 0 in both" : "; did you mean \"" + near + "\"?")};
  }
  if (line->verdict == RunLine::Verdict::only_one)
    return tl::unexpected{"\"" + rule.metric + "\" was measured in one of the runs only"};
  if (line->verdict == RunLine::Verdict::not_settled)
    return tl::unexpected{"\"" + rule.metric + "\" has not settled in one of the runs: there is no verdict on it"};
  if (line->verdict == RunLine::Verdict::no_difference) return false;
  const auto from = *line->value[0], to = *line->value[1];
  return rule.drops ? to < from - std::abs(from) * rule.percent / 100 : to > from + std::abs(from) * rule.percent / 100;
}

}  // namespace peerpath::compare
