#include "tools/report/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace peerpath::report {
namespace {

constexpr std::size_t most_flows = 4;

double size_of(const Json& change) { return change.is_number() ? std::fabs(change.get<double>()) : 0; }

double size_of_flow(const Json& flow) {
  return std::max(size_of(at(flow, "goodput_percent")), size_of(at(flow, "p99_percent")));
}

std::string change_text(const Json& change) {
  return change.is_number() ? fmt::format("{:+.1f} %", change.get<double>()) : "-";
}

/// "rx: goodput +34.0 %, p99 -12.1 %", for each flow that changed, the most changed first.
std::string changes(const Json& rerun) {
  if (const auto& problem = text_at(rerun, "problem"); !problem.empty()) return escaped(problem);
  std::vector<Json> flows;
  for (const auto& flow : at(rerun, "flows"))
    if (size_of_flow(flow) >= 0.05) flows.push_back(flow);
  std::ranges::stable_sort(flows, [](const Json& a, const Json& b) { return size_of_flow(a) > size_of_flow(b); });
  if (flows.empty()) return "no change";
  std::string text;
  for (std::size_t n = 0; n < std::min(flows.size(), most_flows); ++n)
    text += fmt::format("{}{}: goodput {}, p99 {}", n == 0 ? "" : "<br>", escaped(text_at(flows[n], "traffic")),
                        change_text(at(flows[n], "goodput_percent")), change_text(at(flows[n], "p99_percent")));
  if (flows.size() > most_flows) text += fmt::format("<br>and {} more", flows.size() - most_flows);
  return text;
}

std::string rows_of(const Json& rows, const char* what) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows)
    cells.push_back({escaped(text_at(row, "name")), changes(at(row, "doubled")), changes(at(row, "halved")),
                     "<code>" + escaped(text_at(row, "keys")) + "</code>", escaped(text_at(row, "source"))});
  return table({what, "doubled", "halved", "keys", "from"}, cells, 5);
}

}  // namespace

std::string suspect_table(const Json& results) { return rows_of(at(at(results, "what_if"), "suspects"), "resource"); }

std::string assumption_table(const Json& results) {
  const auto& what_if = at(results, "what_if");
  if (what_if.is_null()) return "";
  const auto rest = at(what_if, "without_weight");
  auto text = rows_of(at(what_if, "assumptions"), "option");
  if (rest.is_number() && rest > 0)
    text += fmt::format("<p>{} other assumed values have an effect below 1 %.</p>\n", rest.get<std::int64_t>());
  return text;
}

}  // namespace peerpath::report
