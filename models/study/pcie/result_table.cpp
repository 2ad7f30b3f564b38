#include "study/pcie/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "observe/link_totals.hpp"
#include "peerpath/scenario/describe.hpp"
#include "study/text/expectation_table.hpp"
#include "study/text/number_text.hpp"
#include "study/text/text_table.hpp"
#include "study/text/what_if_table.hpp"

namespace peerpath::study {
namespace {

using Align = TextTable::Align;
using Paint = Painter::Paint;
using observe::Results;

constexpr std::size_t indent = 2;

std::string heading(const Painter& painter, std::string_view text) {
  return "\n" + painter.paint(Paint::bold, text) + "\n";
}

/// " +-0.12 %": how well the metric is known, if that is known.
std::string known_to(const Results& results, const std::string& name) {
  const auto* metric = observe::find_metric(results, name);
  if (metric == nullptr || !metric->value || !metric->half_width || metric->value->digits == 0) return "";
  const auto percent = metric->half_width->value() / std::abs(metric->value->value()) * 100;
  return fmt::format(" +-{:.2f} %", percent);
}

std::string traffic_table(const Results& results) {
  TextTable table{{{"", Align::left},
                   {"offered Gb/s"},
                   {"goodput Gb/s"},
                   {"packets"},
                   {"dropped"},
                   {"latency p50"},
                   {"p99"},
                   {"p99.9"},
                   {"max"}}};
  for (const auto& t : results.traffic) {
    std::vector<std::string> row{
        t.name, gbps(t.offered_payload, results.window),
        gbps(t.delivered_payload, results.window) + known_to(results, t.name + ".goodput_gbps"),
        grouped(t.delivered_packets), grouped(t.dropped_packets)};
    for (const auto& [ppm, name] : {std::pair{500'000, "p50"}, {990'000, "p99"}, {999'000, "p999"}, {1'000'000, "max"}})
      row.push_back(t.latency.count() == 0
                        ? "-"
                        : readable(t.latency.quantile(ppm)) + known_to(results, t.name + ".latency_" + name + "_ns"));
    table.add(std::move(row));
  }
  return table.text(indent);
}

using Used = std::array<bool, pcie::purposes>;

/// The purposes that some link carried: columns of zeros say nothing. Payload is always shown.
Used used_purposes(const Results& results) {
  Used used{true};
  for (const auto& link : results.links)
    for (const auto* side : {&link.up, &link.down})
      for (const auto& row : side->rows)
        if (row.payload > Bytes{0}) used[static_cast<std::size_t>(row.purpose)] = true;
  return used;
}

std::string link_table(const Results& results) {
  const auto used = used_purposes(results);
  std::vector<TextTable::Column> columns{{"Gb/s", Align::left}, {"", Align::left}, {"", Align::left}, {"busy"}};
  for (const auto& purpose : enum_names(pcie::Purpose{}))
    if (used[static_cast<std::size_t>(purpose.value)]) {
      auto title = std::string{purpose.name};
      std::ranges::replace(title, '_', ' ');
      columns.push_back({title == "completion entry" ? "completion" : title});
    }
  for (const auto* title : {"overhead", "DLLP", "all"}) columns.push_back({title});
  TextTable table{columns};
  for (const auto& link : results.links) {
    for (const bool up : {true, false}) {
      const auto& side = up ? link.up : link.down;
      const auto totals = observe::total(side);
      std::vector<std::string> row{up ? link.name : "", up ? link.shape : "", up ? "up" : "down",
                                   percent(observe::utilisation(side, results.window))};
      for (std::size_t n = 0; n < pcie::purposes; ++n)
        if (used[n]) row.push_back(totals.by_purpose[n] == Bytes{0} ? "0" : gbps(totals.by_purpose[n], results.window));
      for (const auto bytes : {totals.overhead, totals.dllp_bytes(), totals.wire()})
        row.push_back(gbps(bytes, results.window));
      table.add(std::move(row));
    }
  }
  return table.text(indent);
}

std::string host_table(const Results& results) {
  TextTable table{{{"", Align::left}, {"busy"}, {"", Align::left}}};
  for (const auto& cpu : results.cpus) {
    const auto all = results.window * std::int64_t{cpu.cores};
    table.add({cpu.name, percent(observe::quotient(static_cast<WideInt>(cpu.busy.count()) * 100, all.count(), 4)),
               fmt::format("{} of {} cores, the busiest {}, {} Gb/s copied",
                           to_string(observe::quotient(cpu.busy.count(), results.window.count(), 2)), cpu.cores,
                           percent(observe::quotient(static_cast<WideInt>(cpu.busiest.count()) * 100,
                                                     results.window.count(), 4)),
                           gbps(cpu.copied, results.window))});
  }
  for (const auto& memory : results.memories)
    table.add({memory.name, percent(observe::utilisation(memory, results.window)),
               fmt::format("{} Gb/s read, {} Gb/s written", gbps(memory.read, results.window),
                           gbps(memory.written, results.window))});
  for (const auto& window : results.windows) {
    std::string said = scenario::to_text(window.used) + " of " + scenario::to_text(window.size) + " mapped";
    if (window.remaps > 0) said += fmt::format(", {} remaps took {}", grouped(window.remaps), readable(window.waiting));
    table.add({window.gpu + " BAR1",
               percent(observe::quotient(static_cast<WideInt>(window.used.count()) * 100, window.size.count(), 4)),
               said});
  }
  for (const auto& resource : results.resources)
    table.add(
        {resource.name,
         percent(observe::quotient(static_cast<WideInt>(resource.busy.count()) * 100, resource.capacity.count(), 4)),
         ""});
  return table.text(indent);
}

std::string ways(const Results& results) {
  TextTable table{{{"", Align::left}, {"", Align::left}}};
  for (std::size_t n = 0; n < results.ways.size(); ++n) table.add({results.traffic[n].name, results.ways[n]});
  return table.text(indent);
}

std::string events(const Results& results) {
  TextTable table{{{"", Align::left}, {"", Align::left}}};
  for (const auto& event : results.events) table.add({readable(event.at.time_since_epoch()), event.what});
  return table.text(indent);
}

std::string faults(const Results& results) {
  TextTable table{{{"", Align::left}, {""}, {"", Align::left}, {"", Align::left}}};
  for (const auto& fault : results.faults)
    table.add({fault.device, grouped(fault.count) + " x", fault.what,
               "first at " + readable(fault.first.time_since_epoch())});
  return table.text(indent);
}

std::string deadlock(const observe::DeadlockResult& found) {
  TextTable table{{{"", Align::left}, {"", Align::left}, {"", Align::left}}};
  const auto add = [&](std::size_t i, std::string mark) {
    const auto& queue = found.blocked[i];
    table.add({std::move(mark) + queue.place, queue.tlp, "waits for " + queue.waits_for});
  };
  for (const std::size_t i : found.cycle) add(i, i == found.cycle.front() ? "cycle: " : "    -> ");
  for (std::size_t i = 0; i < found.blocked.size(); ++i)
    if (std::ranges::find(found.cycle, i) == found.cycle.end()) add(i, "");
  return table.text(indent);
}

std::string errors(const Results& results) {
  TextTable table{
      {{"", Align::left}, {""}, {"", Align::left}, {"", Align::left}, {"", Align::left}, {"", Align::left}}};
  for (const auto& e : results.errors) {
    std::string log;
    if (e.header)
      for (const std::uint32_t word : *e.header) log += fmt::format("{}{:08x}", log.empty() ? "" : " ", word);
    table.add({e.device, grouped(e.count) + " x", std::string{name_of(e.severity)}, e.error,
               e.first ? "first at " + readable(e.first->time_since_epoch()) : "", log});
  }
  return table.text(indent);
}

}  // namespace

std::string result_table(const Results& results, const scenario::Scenario& scenario, const Painter& painter) {
  auto text = painter.paint(Paint::bold, scenario.name);
  if (!scenario.description.empty()) text += ": " + scenario.description;
  text += fmt::format("\n{} measured after {} of warm-up{}, seed {}\n", readable(results.window),
                      readable(results.warmup), results.steady.found ? " (found)" : "", scenario.run.seed);
  for (const auto& warning : results.steady.warnings)
    text += painter.paint(Paint::yellow, "WARNING: " + warning) + "\n";
  for (const auto& warning : results.warnings) text += painter.paint(Paint::yellow, "WARNING: " + warning) + "\n";
  if (!results.complete)
    text += painter.paint(Paint::yellow,
                          fmt::format("INCOMPLETE: interrupted, {} were asked for", readable(results.wanted_window))) +
            "\n";
  text += heading(painter, "Traffic") + traffic_table(results);
  text += heading(painter, "Links") + link_table(results);
  if (const auto hosts = host_table(results); !hosts.empty()) text += heading(painter, "Hosts and devices") + hosts;
  text += heading(painter, "Path of the payload") + ways(results);
  if (!results.events.empty()) text += heading(painter, "Events") + events(results);
  if (!results.faults.empty()) text += heading(painter, "Faults") + faults(results);
  if (!results.errors.empty()) text += heading(painter, "Advanced Error Reporting") + errors(results);
  if (results.deadlock)
    text += heading(painter, "Deadlock: the run ended at " + readable(results.deadlock->found.time_since_epoch()) +
                                 ", the queues below are permanently blocked") +
            deadlock(*results.deadlock);
  text += heading(painter, "Bottleneck") + "  " + results.bottleneck + "\n";
  for (const auto& sentence : results.flattered) text += painter.paint(Paint::yellow, "  " + sentence) + "\n";
  if (results.what_if) text += what_if_text(*results.what_if, painter);
  if (results.protocol) {
    text += results.protocol->empty() ? "\nNo protocol violation on any link.\n" : heading(painter, "Protocol");
    const auto shown = std::min<std::size_t>(results.protocol->size(), 20);
    for (std::size_t i = 0; i < shown; ++i) text += painter.paint(Paint::red, "  " + (*results.protocol)[i]) + "\n";
    if (shown < results.protocol->size())
      text += fmt::format("  and {} more, in run.json\n", results.protocol->size() - shown);
  }
  for (const auto& violation : results.conservation)
    text += painter.paint(Paint::red, "BYTE LEDGER VIOLATED: " + violation) + "\n";
  if (!results.expectations.empty()) text += heading(painter, "Expectations") + expectation_table(results, painter);
  return text;
}

}  // namespace peerpath::study
