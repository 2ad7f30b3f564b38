#include "study/summary.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "study/text/number_text.hpp"

namespace peerpath::study {
namespace {

/// What speaks against the results, in the order of weight.
Problems objections(const observe::Results& results) {
  Problems problems;
  for (const auto& broken : results.conservation)
    problems.push_back({"", 0, 0, "", "bytes are not conserved: " + broken});
  for (std::size_t n = 0; n < results.expectations.size(); ++n) {
    const auto& e = results.expectations[n];
    if (e.verdict != observe::Verdict::failed) continue;
    const auto unit = e.unit == "1" || !e.found ? "" : " " + e.unit;
    problems.push_back({"", 0, 0, "/expect/" + std::to_string(n) + "/metric",
                        e.metric + " is " + found_text(e) + unit + ", expected " + e.wanted});
  }
  if (results.deadlock)
    problems.push_back(
        {"", 0, 0, "",
         "deadlock: " + std::to_string(results.deadlock->blocked.size()) + " queues are permanently blocked"});
  return problems;
}

}  // namespace

Summary judged(const observe::Results& results) {
  Summary summary;
  summary.kind = verdict(results);
  if (summary.kind == Ending::interrupted) return summary;
  if (summary.kind != Ending::passed) summary.problems = objections(results);
  summary.bottleneck = results.bottleneck;
  summary.not_steady = results.steady.warnings;
  for (const auto& metric : results.metrics)
    summary.metrics.push_back({metric.name, metric.value ? std::optional{metric.value->value()} : std::nullopt});
  std::ranges::sort(summary.metrics, {}, &Summary::Measured::metric);
  return summary;
}

Summary wrong(Problems problems) {
  Summary summary;
  summary.kind = Ending::wrong;
  summary.problems = std::move(problems);
  return summary;
}

std::string packed(const Summary& summary) {
  auto document = nlohmann::json{{"kind", summary.kind},
                                 {"scenario", summary.scenario},
                                 {"bottleneck", summary.bottleneck},
                                 {"seconds", summary.seconds},
                                 {"problems", nlohmann::json::array()},
                                 {"metrics", nlohmann::json::array()},
                                 {"not_steady", summary.not_steady}};
  for (const auto& p : summary.problems)
    document["problems"].push_back({printable(p.file), p.line, p.column, printable(p.key), printable(p.message)});
  for (const auto& m : summary.metrics)
    document["metrics"].push_back({m.metric, m.value ? nlohmann::json(*m.value) : nlohmann::json()});
  const auto bytes = nlohmann::json::to_cbor(document);
  return {bytes.begin(), bytes.end()};
}

Summary unpacked(const std::string& text, const std::string& crash) {
  Summary summary;
  const auto document = nlohmann::json::from_cbor(text, true, false);
  if (!crash.empty() || !document.is_object()) {
    summary.kind = Ending::crashed;
    summary.problems.push_back({"", 0, 0, "", crash.empty() ? "it produced no results" : crash});
    return summary;
  }
  summary.kind = document.at("kind").get<Ending>();
  summary.scenario = document.at("scenario").get<std::string>();
  summary.bottleneck = document.at("bottleneck").get<std::string>();
  summary.seconds = document.at("seconds").get<double>();
  summary.not_steady = document.at("not_steady").get<std::vector<std::string>>();
  for (const auto& p : document.at("problems"))
    summary.problems.push_back(
        {p[0].get<std::string>(), p[1].get<int>(), p[2].get<int>(), p[3].get<std::string>(), p[4].get<std::string>()});
  for (const auto& m : document.at("metrics"))
    summary.metrics.push_back(
        {m[0].get<std::string>(), m[1].is_null() ? std::nullopt : std::optional{m[1].get<double>()}});
  return summary;
}

}  // namespace peerpath::study
