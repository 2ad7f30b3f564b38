#include "study/network/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenario/network/names.hpp"
#include "study/text/expectation_table.hpp"
#include "study/text/number_text.hpp"
#include "study/text/text_table.hpp"
#include "study/text/what_if_table.hpp"

namespace peerpath::study {
namespace {

using Side = TextTable::Align;

std::string bold_line(const Painter& painter, std::string_view text) {
  return "\n" + painter.paint(Painter::Paint::bold, text) + "\n";
}

std::string measured(const observe::Results& results) {
  TextTable table{{{"", Side::left}, {""}, {"", Side::left}}};
  for (const auto& m : results.metrics)
    table.add({m.name, m.value ? observe::to_string(*m.value) : "-", m.unit == "1" ? "" : m.unit});
  return table.text(2);
}

std::string cables(const network_run::Outcome& outcome) {
  constexpr std::size_t shown = 8;
  TextTable table{{{"", Side::left}, {"busy %"}, {"paused %"}, {"queue peak B"}, {"dropped"}}};
  for (std::size_t i = 0; i < std::min(shown, outcome.cables.size()); ++i) {
    const auto& c = outcome.cables[i];
    table.add({c.name, observe::to_string(c.busy_percent), observe::to_string(c.paused_percent), grouped(c.peak),
               grouped(c.dropped)});
  }
  return table.text(2);
}

/// The ranks of a job that wait longest, in their order.
std::string ranks(const network_scenario::TraceEntry& entry, const std::vector<collective::RankUse>& uses) {
  constexpr std::size_t shown = 16;
  const auto hosts = network_scenario::spelt_out(entry.hosts);
  std::vector<std::size_t> order(uses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto exposed = [&](std::size_t rank) { return uses[rank].communicating - uses[rank].hidden; };
  if (uses.size() > shown) std::ranges::stable_sort(order, std::ranges::greater{}, exposed);
  TextTable table{
      {{"rank"}, {"host", Side::left}, {"time"}, {"computing"}, {"communicating"}, {"hidden"}, {"exposed"}}};
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i) {
    const auto& use = uses[order[i]];
    table.add({std::to_string(order[i]), hosts[order[i]], use.over ? readable(use.ended - Instant{entry.start}) : "-",
               readable(use.computing), readable(use.communicating), readable(use.hidden),
               readable(exposed(order[i]))});
  }
  return table.text(2);
}

}  // namespace

std::string network_table(const network_scenario::Loaded& loaded, const network_run::Outcome& outcome,
                          const Painter& painter) {
  const auto& s = loaded.scenario;
  const auto& results = outcome.results;
  auto text = painter.paint(Painter::Paint::bold, s.name);
  if (!s.description.empty()) text += ": " + s.description;
  text += fmt::format("\n{} measured after {} of warm-up{}, seed {}; {} hosts, {} switches, {} cables\n",
                      readable(results.window), readable(results.warmup), results.steady.found ? " (found)" : "",
                      s.run.seed, loaded.graph.hosts.size(), loaded.graph.nodes.size() - loaded.graph.hosts.size(),
                      loaded.graph.cables.size());
  for (const auto& warning : results.steady.warnings)
    text += painter.paint(Painter::Paint::yellow, "WARNING: " + warning) + "\n";
  if (!results.complete) text += painter.paint(Painter::Paint::yellow, "INCOMPLETE: interrupted before the end") + "\n";
  text += bold_line(painter, "Results") + measured(results);
  for (std::size_t i = 0; i < outcome.jobs.size(); ++i)
    text += bold_line(painter, "Ranks of " + s.traces[i].name) + ranks(s.traces[i], outcome.jobs[i]);
  text += bold_line(painter, "Busiest cables") + cables(outcome);
  text += bold_line(painter, "Bottleneck");
  for (const auto& sentence : outcome.said) text += "  " + sentence + "\n";
  if (results.what_if) text += what_if_text(*results.what_if, painter);
  if (!results.expectations.empty()) text += bold_line(painter, "Expectations") + expectation_table(results, painter);
  return text;
}

}  // namespace peerpath::study
