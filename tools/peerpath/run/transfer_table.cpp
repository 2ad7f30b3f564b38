#include "tools/peerpath/run/transfer_table.hpp"

#include "observe/link_totals.hpp"
#include "study/text/expectation_table.hpp"
#include "study/text/number_text.hpp"
#include "study/text/text_table.hpp"

namespace peerpath::cli {
namespace {

using Align = study::TextTable::Align;
using Paint = Terminal::Paint;

std::string traffic_rows(const observe::Results& results) {
  study::TextTable table{{{"", Align::left}, {"bytes"}, {"validated"}, {"", Align::left}}};
  for (std::size_t n = 0; n < results.traffic.size(); ++n) {
    const auto& traffic = results.traffic[n];
    table.add({traffic.name, study::grouped(traffic.offered_payload.count()),
               study::grouped(traffic.delivered_payload.count()), results.ways[n]});
  }
  return table.text(2);
}

std::string link_rows(const observe::Results& results) {
  std::vector<study::TextTable::Column> columns{{"bytes", Align::left}, {"", Align::left}};
  for (const auto& purpose : enum_names(pcie::Purpose{})) columns.push_back({std::string{purpose.name}});
  columns.push_back({"TLPs"});
  study::TextTable table{columns};
  for (const auto& link : results.links) {
    for (const bool up : {true, false}) {
      const auto& side = up ? link.up : link.down;
      const auto totals = observe::total(side);
      std::int64_t tlps = 0;
      for (const auto& row : side.rows) tlps += row.tlps;
      std::vector<std::string> cells{up ? link.name : "", up ? "up" : "down"};
      for (std::size_t n = 0; n < pcie::purposes; ++n) cells.push_back(study::grouped(totals.by_purpose[n].count()));
      cells.push_back(study::grouped(tlps));
      table.add(std::move(cells));
    }
  }
  return table.text(2);
}

}  // namespace

std::string transfer_table(const observe::Results& results, const scenario::Scenario& scenario,
                           const Terminal& terminal) {
  const auto heading = [&](std::string_view text) { return "\n" + terminal.paint(Paint::bold, text) + "\n"; };
  auto text = terminal.paint(Paint::bold, scenario.name);
  if (!scenario.description.empty()) text += ": " + scenario.description;
  text += "\non the emulator\n";
  text += heading("Traffic") + traffic_rows(results);
  text += heading("Links") + link_rows(results);
  for (const auto& fault : results.faults) text += terminal.paint(Paint::red, fault.device + ": " + fault.what) + "\n";
  if (!results.expectations.empty()) text += heading("Expectations") + study::expectation_table(results, terminal);
  return text;
}

}  // namespace peerpath::cli
