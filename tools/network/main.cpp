// peerpath-network: RDMA over Ethernet networks, packet by packet, with hosts that are a rate and a buffer.
#include <cstdio>
#include <iostream>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/network/run.hpp"

namespace {

using namespace peerpath;
using Json = nlohmann::ordered_json;

Json number(const std::optional<observe::Decimal>& value) {
  return value ? Json::parse(observe::to_string(*value)) : Json{};
}

Json document(const network_tool::NetworkScenario& scenario, const network_tool::Outcome& outcome) {
  Json out;
  out["description"] = scenario.description;
  out["simulated_ns"] = outcome.results.window.count() / 1'000'000;
  for (const auto& m : outcome.results.metrics)
    out["metrics"][m.name] = {{"value", number(m.value)}, {"unit", m.unit}, {"doc", m.doc}};
  for (const auto& c : outcome.cables)
    out["cables"].push_back({{"name", c.name},
                             {"busy_percent", number(c.busy_percent)},
                             {"paused_percent", number(c.paused_percent)},
                             {"queue_peak_bytes", c.peak},
                             {"dropped", c.dropped},
                             {"marked", c.marked}});
  out["said"] = outcome.said;
  out["expectations"] = Json::array();
  for (const auto& e : outcome.results.expectations)
    out["expectations"].push_back({{"metric", e.metric},
                                   {"wanted", e.wanted},
                                   {"found", number(e.found)},
                                   {"unit", e.unit},
                                   {"verdict", e.verdict == observe::Verdict::ok ? "ok" : "failed"}});
  return out;
}

void print(const network_tool::NetworkScenario& scenario, const network_tool::Outcome& outcome) {
  constexpr std::size_t shown = 8;
  if (!scenario.description.empty()) std::printf("%s\n\n", printable(scenario.description).c_str());
  for (const auto& m : outcome.results.metrics)
    std::printf("%-36s %14s %s\n", m.name.c_str(), m.value ? observe::to_string(*m.value).c_str() : "-",
                m.unit == "1" ? "" : m.unit.c_str());
  std::printf("\n%-36s %8s %8s %14s %9s\n", "busiest cables", "busy %", "paused %", "queue peak B", "dropped");
  for (std::size_t i = 0; i < std::min(shown, outcome.cables.size()); ++i) {
    const auto& c = outcome.cables[i];
    std::printf("%-36s %8s %8s %14lld %9lld\n", c.name.c_str(), observe::to_string(c.busy_percent).c_str(),
                observe::to_string(c.paused_percent).c_str(), static_cast<long long>(c.peak),
                static_cast<long long>(c.dropped));
  }
  std::printf("\n");
  for (const auto& sentence : outcome.said) std::printf("%s\n", sentence.c_str());
  for (const auto& e : outcome.results.expectations)
    std::printf("%s: %s %s, found %s %s\n", e.verdict == observe::Verdict::ok ? "ok" : "FAILED", e.metric.c_str(),
                e.wanted.c_str(), e.found ? observe::to_string(*e.found).c_str() : "nothing",
                e.unit == "1" ? "" : e.unit.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"RDMA over an Ethernet network, packet by packet: switches with PFC and ECN, DCQCN, collectives"};
  std::string file;
  std::optional<int> seed;
  bool json = false;
  app.add_option("scenario", file, "JSON file (tools/network/README.md; examples beside it)")->required();
  app.add_option("--seed", seed, "Seed of all randomness, in place of the scenario's");
  app.add_flag("--json", json, "One JSON document on standard output instead of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto fails = [](const Problems& problems) {
    for (const auto& problem : problems) std::cerr << to_string(problem) << '\n';
    return 2;
  };
  auto loaded = network_tool::load(file);
  if (!loaded) return fails(loaded.error());
  if (seed) loaded->scenario.run.seed = *seed;
  const auto outcome = network_tool::run(*loaded);
  if (!outcome) return fails(outcome.error());
  if (json)
    std::cout << document(loaded->scenario, *outcome).dump(2) << '\n';
  else
    print(loaded->scenario, *outcome);
  for (const auto& e : outcome->results.expectations)
    if (e.verdict != observe::Verdict::ok) return 1;
  return 0;
}
