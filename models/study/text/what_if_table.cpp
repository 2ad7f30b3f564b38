#include "study/text/what_if_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/text/text_table.hpp"

namespace peerpath::study {
namespace {

using Align = TextTable::Align;

double size_of(const observe::FlowChange& flow) {
  const auto p99 = flow.p99_percent ? std::fabs(flow.p99_percent->value()) : 0;
  return std::max(std::fabs(flow.goodput_percent.value()), p99);
}

/// "rx +34.0 %, p99 -12.1 %": of the traffic entry that changed most, or that none did.
std::string changes(const observe::Rerun& run) {
  if (!run.problem.empty()) return run.problem;
  if (run.flows.empty()) return "-";
  const auto flow = std::ranges::max_element(run.flows, {}, size_of);
  if (size_of(*flow) < 0.05) return "no change";
  auto text = fmt::format("{} {:+.1f} %", flow->traffic, flow->goodput_percent.value());
  if (flow->p99_percent) text += fmt::format(", p99 {:+.1f} %", flow->p99_percent->value());
  return text;
}

}  // namespace

std::string what_if_text(const observe::WhatIf& what_if, const Painter& painter) {
  const auto title = [&](std::string_view text) { return "\n" + painter.paint(Painter::Paint::bold, text) + "\n"; };
  auto text = title("What if") + suspect_table(what_if);
  if (!what_if.assumptions.empty()) text += title("Assumed values that affect the result") + assumption_table(what_if);
  if (what_if.without_weight > 0)
    text += fmt::format("  {} other assumed values have an effect below 1 %\n", what_if.without_weight);
  return text;
}

std::string suspect_table(const observe::WhatIf& what_if) {
  TextTable table{{{"", Align::left}, {"doubled", Align::left}, {"halved", Align::left}}};
  for (const auto& row : what_if.suspects) table.add({row.name, changes(row.doubled), changes(row.halved)});
  return table.text(2);
}

std::string assumption_table(const observe::WhatIf& what_if) {
  TextTable table{{{"", Align::left}, {"doubled", Align::left}, {"halved", Align::left}, {"", Align::left}}};
  for (const auto& row : what_if.assumptions)
    table.add({row.name, changes(row.doubled), changes(row.halved), row.source});
  return table.text(2);
}

}  // namespace peerpath::study
