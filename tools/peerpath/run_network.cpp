#include "tools/peerpath/run_network.hpp"

#include <array>

#include "observe/results_json.hpp"
#include "platform/network/run.hpp"
#include "scenario/network/write.hpp"
#include "scenario/write.hpp"
#include "tools/peerpath/interrupt.hpp"
#include "tools/peerpath/network_table.hpp"
#include "tools/peerpath/progress.hpp"
#include "tools/peerpath/run_output.hpp"
#include "tools/peerpath/version.hpp"

namespace peerpath::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Options that speak of PCIe, or of who else could run a scenario.
constexpr std::array<std::string_view, 12> of_pcie{"--kernel",         "--quantum",     "--fabric",     "--loop",
                                                   "--check-protocol", "--trace",       "--trace-from", "--trace-for",
                                                   "--trace-scale",    "--trace-links", "--profile",    "--what-if"};

bool refuses(const Arguments& arguments, const Terminal& terminal) {
  if (const auto on = arguments.value("--on").value_or("model"); on != "model") {
    terminal.error("a network scenario runs on the model alone, not on " + on);
    return true;
  }
  for (const auto option : of_pcie) {
    if (!arguments.has(option)) continue;
    terminal.error(std::string{option} + " is for scenarios of PCIe; this one is of an Ethernet network");
    return true;
  }
  return false;
}

Json number(const observe::Decimal& value) { return Json::parse(observe::to_string(value)); }

Json nanoseconds(Duration time) { return number({time.count(), 6}); }

/// What was fitted to the hosts of an entry, and to what. Without a rate the wire is the limit.
Json node(const network_scenario::NodeEntry& entry, const network_run::NodeFit& fit) {
  const auto rate = [](BitRate limit) { return limit == BitRate{} ? Json() : number({limit.bps(), 9}); };
  Json out{{"hosts", entry.hosts},
           {"scenario", entry.scenario},
           {"set", entry.set},
           {"receive_gbps", rate(fit.receive)},
           {"transmit_gbps", rate(fit.transmit)},
           {"latency_ns", nanoseconds(fit.latency)},
           {"rate_error_percent", number(fit.rate_error_percent)},
           {"latency_error_percent", number(fit.latency_error_percent)},
           {"bottleneck", fit.bottleneck}};
  for (const auto& p : fit.points)
    out["points"].push_back({{"offered_gbps", number(p.offered_gbps)},
                             {"goodput_gbps", number(p.goodput_gbps)},
                             {"sent_gbps", number(p.sent_gbps)},
                             {"latency_ns", nanoseconds(p.latency)}});
  return out;
}

/// The document of all results, without the parts that are of PCIe, and with the cables.
Json document_of(const network_scenario::Loaded& loaded, const network_run::Outcome& outcome) {
  auto document = observe::results_document(
      outcome.results, {std::string{version()}, loaded.scenario.name, network_scenario::written(loaded.scenario),
                        scenario::written_origins(loaded.origins)});
  for (const auto* key :
       {"steady", "limit", "flattered", "traffic", "utilisation", "ledger", "conservation", "bar1", "faults", "aer"})
    document.erase(key);
  auto& network = document["network"];
  network["said"] = outcome.said;
  for (std::size_t i = 0; i < outcome.nodes.size(); ++i)
    network["nodes"].push_back(node(loaded.scenario.nodes[i], outcome.nodes[i]));
  network["cables"] = Json::array();
  for (const auto& c : outcome.cables)
    network["cables"].push_back({{"name", c.name},
                                 {"busy_percent", number(c.busy_percent)},
                                 {"paused_percent", number(c.paused_percent)},
                                 {"queue_peak_bytes", c.peak},
                                 {"dropped", c.dropped},
                                 {"marked", c.marked}});
  return document;
}

}  // namespace

Exit run_network(const Arguments& arguments, const network_scenario::Loaded& loaded, InputFiles inputs,
                 Terminal& terminal) {
  if (refuses(arguments, terminal)) return Exit::wrong_input;
  RunRecord record;
  record.inputs = std::move(inputs);
  record.scenario_file = loaded.file;
  record.fabric.clear();
  record.started = std::chrono::system_clock::now();
  const auto begin = std::chrono::steady_clock::now();
  const auto ran = [&] {
    const InterruptGuard guard;
    Progress progress{terminal};
    return network_run::run(loaded, {.progress = [&](Duration now, Duration most) { progress.update(now, most); },
                                     .stop = [&guard] { return guard.interrupted(); }});
  }();
  if (!ran) {
    terminal.report(ran.error());
    return Exit::wrong_input;
  }
  const auto& outcome = *ran;
  record.wall = std::chrono::steady_clock::now() - begin;
  record.simulated = outcome.results.warmup + outcome.results.window;
  record.exit = static_cast<int>(verdict(outcome.results));
  return publish(arguments, Publication{loaded.scenario.name, document_of(loaded, outcome)}, outcome.results, record,
                 network_table(loaded, outcome, terminal), terminal);
}

}  // namespace peerpath::cli
