#include "tools/peerpath/measured/run_comparison.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "study/text/text_table.hpp"
#include "validation/compare/runs.hpp"

namespace peerpath::cli {
namespace {

using compare::FailIf;
using compare::RunComparison;
using compare::RunLine;
using Json = nlohmann::ordered_json;

std::string_view text_of(RunLine::Verdict verdict) {
  switch (verdict) {
    case RunLine::Verdict::better:
      return "better";
    case RunLine::Verdict::worse:
      return "worse";
    case RunLine::Verdict::more:
      return "more";
    case RunLine::Verdict::less:
      return "less";
    case RunLine::Verdict::no_difference:
      return "no difference shown";
    case RunLine::Verdict::only_one:
      return "in one run only";
    case RunLine::Verdict::not_settled:
      return "not settled";
  }
  return "";
}

std::string cell(const RunLine& line, std::size_t run) {
  if (!line.value[run]) return "-";
  auto text = fmt::format("{:.6g}", *line.value[run]);
  if (line.half_width[run]) text += fmt::format(" +-{:.2g}", *line.half_width[run]);
  return text;
}

std::string table_of(const RunComparison& comparison, const std::array<std::string, 2>& runs) {
  using Align = study::TextTable::Align;
  study::TextTable table{{{"", Align::left}, {"", Align::left}, {runs[0]}, {runs[1]}, {"change"}, {"", Align::left}}};
  for (const auto& line : comparison.lines) {
    const auto change = line.change_percent();
    table.add({line.metric, line.unit == "1" ? "" : line.unit, cell(line, 0), cell(line, 1),
               change ? fmt::format("{:+.2f} %", *change) : "-", std::string{text_of(line.verdict)}});
  }
  auto text = table.text();
  for (const std::size_t i : {0, 1}) text += fmt::format("\nbottleneck of {}: {}", runs[i], comparison.bottleneck[i]);
  text += "\n";
  for (const std::size_t i : {0, 1})
    for (const auto& warning : comparison.not_steady[i]) text += "WARNING of " + runs[i] + ": " + warning + "\n";
  return text;
}

Json pair_of(const std::array<std::optional<double>, 2>& values) {
  Json both = Json::array();
  for (const auto& value : values) both.push_back(value ? Json(*value) : Json());
  return both;
}

Json json_of(const RunComparison& comparison, const std::vector<std::string>& broken) {
  Json lines = Json::array();
  for (const auto& line : comparison.lines) {
    const auto change = line.change_percent();
    lines.push_back({{"metric", line.metric},
                     {"unit", line.unit},
                     {"value", pair_of(line.value)},
                     {"half_width", pair_of(line.half_width)},
                     {"change_percent", change ? Json(*change) : Json()},
                     {"verdict", text_of(line.verdict)}});
  }
  return {{"lines", std::move(lines)},
          {"bottleneck", comparison.bottleneck},
          {"not_steady", comparison.not_steady},
          {"broken", broken}};
}

}  // namespace

Exit compare_metrics(const std::array<std::string, 2>& names, const std::array<std::string, 2>& documents,
                     const std::vector<std::string>& rules, bool json, const Terminal& terminal) {
  const auto comparison = compare::compare_runs(documents[0], documents[1]);
  if (!comparison) {
    terminal.error(comparison.error());
    return Exit::wrong_input;
  }
  std::vector<std::string> broken;
  for (const auto& text : rules) {
    const auto rule = compare::read_fail_if(text);
    const auto is_broken =
        rule ? compare::breaks(*comparison, *rule) : tl::expected<bool, std::string>{tl::unexpect, rule.error()};
    if (!is_broken) {
      terminal.error("--fail-if: " + is_broken.error());
      return Exit::wrong_input;
    }
    if (*is_broken) broken.push_back(text);
  }
  terminal.data(json ? json_of(*comparison, broken).dump(2) + "\n" : table_of(*comparison, names));
  for (const auto& rule : broken) terminal.error("the second run breaks: " + rule);
  return broken.empty() ? Exit::done : Exit::expectation_failed;
}

}  // namespace peerpath::cli
