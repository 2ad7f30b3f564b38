#include "tools/peerpath/batch/outcome.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "peerpath/observe/finish.hpp"
#include "peerpath/platform/run.hpp"
#include "tools/peerpath/command_line/number_text.hpp"
#include "tools/peerpath/files/located.hpp"
#include "tools/peerpath/run/verdict.hpp"

namespace peerpath::cli {
namespace {

using Kind = Outcome::Kind;

Kind kind_of(Exit exit) {
  switch (exit) {
    case Exit::done:
      return Kind::passed;
    case Exit::bug:
      return Kind::crashed;
    case Exit::interrupted:
      return Kind::interrupted;
    default:
      return Kind::failed;
  }
}

void place_all(Problems& problems, const scenario::Loaded& loaded) {
  for (auto& problem : problems) problem = located(problem, loaded);
}

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

Outcome judged(const observe::Results& results) {
  Outcome outcome;
  outcome.kind = kind_of(verdict(results));
  if (outcome.kind == Kind::interrupted) return outcome;
  if (outcome.kind != Kind::passed) outcome.problems = objections(results);
  outcome.bottleneck = results.bottleneck;
  outcome.not_steady = results.steady.warnings;
  for (const auto& metric : results.metrics)
    outcome.metrics.push_back({metric.name, metric.value ? std::optional{metric.value->value()} : std::nullopt});
  std::ranges::sort(outcome.metrics, {}, &Outcome::Measured::metric);
  return outcome;
}

Outcome outcome_of(const scenario::Loaded& loaded, const std::function<bool()>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  platform::RunOptions options;
  options.captures = loaded.captures;
  options.stop = stop;
  auto results = platform::run(loaded.scenario, options);
  const auto wrong = results ? observe::finish(*results, loaded.scenario) : results.error();
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  Outcome outcome;
  if (wrong.empty()) {
    outcome = judged(*results);
  } else {
    outcome.kind = Kind::wrong;
    outcome.problems = wrong;
  }
  outcome.scenario = loaded.scenario.name;
  outcome.seconds = seconds;
  place_all(outcome.problems, loaded);
  return outcome;
}

std::string packed(const Outcome& outcome) {
  auto document = nlohmann::json{{"kind", outcome.kind},
                                 {"scenario", outcome.scenario},
                                 {"bottleneck", outcome.bottleneck},
                                 {"seconds", outcome.seconds},
                                 {"problems", nlohmann::json::array()},
                                 {"metrics", nlohmann::json::array()},
                                 {"not_steady", outcome.not_steady}};
  for (const auto& p : outcome.problems)
    document["problems"].push_back({printable(p.file), p.line, p.column, printable(p.key), printable(p.message)});
  for (const auto& m : outcome.metrics)
    document["metrics"].push_back({m.metric, m.value ? nlohmann::json(*m.value) : nlohmann::json()});
  const auto bytes = nlohmann::json::to_cbor(document);
  return {bytes.begin(), bytes.end()};
}

Outcome unpacked(const std::string& text, const std::string& crash) {
  Outcome outcome;
  const auto document = nlohmann::json::from_cbor(text, true, false);
  if (!crash.empty() || !document.is_object()) {
    outcome.kind = Kind::crashed;
    outcome.problems.push_back({"", 0, 0, "", crash.empty() ? "it produced no results" : crash});
    return outcome;
  }
  outcome.kind = document.at("kind").get<Kind>();
  outcome.scenario = document.at("scenario").get<std::string>();
  outcome.bottleneck = document.at("bottleneck").get<std::string>();
  outcome.seconds = document.at("seconds").get<double>();
  outcome.not_steady = document.at("not_steady").get<std::vector<std::string>>();
  for (const auto& p : document.at("problems"))
    outcome.problems.push_back(
        {p[0].get<std::string>(), p[1].get<int>(), p[2].get<int>(), p[3].get<std::string>(), p[4].get<std::string>()});
  for (const auto& m : document.at("metrics"))
    outcome.metrics.push_back(
        {m[0].get<std::string>(), m[1].is_null() ? std::nullopt : std::optional{m[1].get<double>()}});
  return outcome;
}

}  // namespace peerpath::cli
