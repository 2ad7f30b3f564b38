#include "tools/peerpath/measured/validate_all.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "peerpath/base/temporary_folder.hpp"
#include "tools/peerpath/files/dataset_file.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "validation/calibrate/assess.hpp"
#include "validation/calibrate/preset.hpp"
#include "validation/pcie_bench/validate.hpp"
#include "validation/published/published.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

/// Own measurements, each with the calibration that was fitted to its part.
struct Own {
  const char *dataset, *preset;
};
constexpr std::array own{Own{"one_gpu", "h200"}, Own{"four_gpus_a", "h200_four_a"}, Own{"four_gpus_b", "h200_four_b"}};

/// results.json of a scenario that this program runs in another process: SystemC runs once a process.
nlohmann::json run_scenario(const std::string& scenario) {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error).string();
  const TemporaryFolder folder;
  const auto command =
      fmt::format("'{}' run '{}' --json --quiet --out '{}'", program, scenario, folder.path().string());
  std::string text;
  if (auto* pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> block{};
    for (std::size_t n = 0; (n = fread(block.data(), 1, block.size(), pipe)) > 0;) text.append(block.data(), n);
    pclose(pipe);
  }
  return nlohmann::json::parse(text, nullptr, false);
}

std::optional<double> metric_of(std::map<std::string, nlohmann::json>& runs, const std::string& scenario,
                                const std::string& metric) {
  auto [run, fresh] = runs.try_emplace(scenario);
  if (fresh) run->second = run_scenario(scenario);
  if (!run->second.is_object()) return std::nullopt;
  for (const auto& found : run->second.at("metrics"))
    if (found.at("name") == metric && found.at("value").is_number()) return found.at("value").get<double>();
  return std::nullopt;
}

/// Lines of the criteria that pcie-bench as a whole is held to, beside the published figures.
struct Criteria {
  std::string text;
  bool passed = true;
};

Criteria criteria_of(const nlohmann::json& bench) {
  Criteria criteria;
  int passed = 0, failed = 0;
  for (const auto& host : bench.at("hosts"))
    for (const auto& c : host.at("criteria")) {
      if (c.at("passed") == true) {
        ++passed;
        continue;
      }
      ++failed;
      criteria.text +=
          fmt::format("  FAIL {}: {} is {:.1f}, allowed {:g}\n", host.at("host").get<std::string>(),
                      c.at("name").get<std::string>(), c.at("value").get<double>(), c.at("allowed").get<double>());
    }
  criteria.passed = failed == 0;
  criteria.text =
      fmt::format("\npcie-bench, all points: {} criteria passed, {} failed\n", passed, failed) + criteria.text;
  return criteria;
}

/// One GPU is held to the error of all points that are predicted, several to that of their contention.
bool held(const calibrate::Assessment& a) { return a.contention.rows.empty() ? a.passed() : a.contention.passed(); }

std::string line_of(const calibrate::Assessment& a) {
  const auto whole = fmt::format("H200, {}: {} points predicted, median error {:.1f} %, 95 % below {:.1f} %", a.dataset,
                                 a.score.points, 100 * a.score.median, 100 * a.score.p95);
  if (a.contention.rows.empty()) return fmt::format("{}: {}\n", whole, held(a) ? "pass" : "FAIL");
  return whole + " (reported)\n  several GPUs together: " + calibrate::verdict_text(a.contention) + "\n";
}

}  // namespace

Exit validate_all(const fs::path& data, bool json, const Terminal& terminal) {
  const auto say = [&](std::string_view what) { terminal.say(what); };
  std::vector<calibrate::Assessment> assessments;
  for (const auto& [name, from] : own) {
    const auto preset = (data / "presets" / fmt::format("{}.json", from)).string();
    const auto calibration = calibrate::read_calibration(read_file(preset).value_or(""), preset);
    if (!calibration) {
      terminal.report(calibration.error());
      return Exit::wrong_input;
    }
    const auto dataset = load_dataset((data / "h200" / fmt::format("{}.jsonl", name)).string(), terminal);
    if (!dataset) return Exit::wrong_input;
    assessments.push_back(calibrate::assess(*dataset, *calibration));
  }
  pcie_bench::Options options;
  options.data = data / "pcie-bench";
  options.card = data / "presets" / "nfp6000.json";
  options.json = true;
  const auto outcome = pcie_bench::validate(options, say);
  const auto bench = nlohmann::json::parse(outcome.text, nullptr, false);
  if (!bench.is_object()) {
    terminal.report(outcome.problems);
    return Exit::wrong_input;
  }
  published::Sources sources;
  sources.pcie_bench = [&]() -> const nlohmann::json& { return bench; };
  std::map<std::string, nlohmann::json> runs;
  sources.run = [&](const std::string& scenario, const std::string& metric) {
    return metric_of(runs, scenario, metric);
  };
  say("checking the published cases");
  const auto file = (data / "published.json").string();
  const auto table = published::evaluate(read_file(file).value_or(""), file, sources);
  if (!table) {
    terminal.report(table.error());
    return Exit::wrong_input;
  }
  const auto criteria = criteria_of(bench);
  const bool passed = table->passed() && criteria.passed && std::ranges::all_of(assessments, held);
  if (json) {
    auto document = nlohmann::ordered_json::parse(published::to_json(*table));
    document["passed"] = passed;
    document["pcie_bench_criteria_passed"] = criteria.passed;
    document["h200"] = nlohmann::ordered_json::parse(calibrate::to_json(assessments.front()));
    for (const auto& several : std::span{assessments}.subspan(1))
      document["h200_several"].push_back(nlohmann::ordered_json::parse(calibrate::to_json(several)));
    terminal.data(document.dump(2) + "\n");
  } else {
    auto text = published::to_text(*table) + criteria.text + "\n";
    for (const auto& assessment : assessments) text += line_of(assessment);
    terminal.data(text);
  }
  return passed ? Exit::done : Exit::expectation_failed;
}

}  // namespace peerpath::cli
