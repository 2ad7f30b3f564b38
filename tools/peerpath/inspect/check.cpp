#include <nlohmann/json.hpp>

#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/network_files.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/inspect/route_text.hpp"

namespace peerpath::cli {
namespace {

nlohmann::ordered_json to_json(const Problem& problem) {
  return {{"file", problem.file},
          {"line", problem.line},
          {"column", problem.column},
          {"key", problem.key},
          {"message", problem.message}};
}

/// What came of reading one scenario.
struct Checked {
  Problems problems;
  Problems warnings;    ///< of a scenario without problems
  std::string summary;  ///< likewise
};

Checked check_network(const std::string& name, const tl::expected<network_scenario::Loaded, Problems>& loaded) {
  if (!loaded) return {loaded.error(), {}, {}};
  const auto& s = loaded->scenario;
  const auto& graph = loaded->graph;
  return {{},
          {},
          name + ": ok, " + std::to_string(graph.hosts.size()) + " hosts, " +
              std::to_string(graph.nodes.size() - graph.hosts.size()) + " switches, " +
              std::to_string(graph.cables.size()) + " cables, " + std::to_string(s.rdma.size()) + " rdma entries, " +
              std::to_string(s.collectives.size()) + " collectives, " + std::to_string(s.expect.size()) +
              " expectations\n"};
}

Checked check_one(const std::string& name, const Arguments& arguments) {
  if (const auto network = load_network(name, arguments)) return check_network(name, *network);
  auto loaded = load_scenario(name, arguments);
  if (!loaded) return {loaded.error(), {}, {}};
  const auto& s = loaded->scenario;
  Checked checked;
  for (const auto& warning : without_route(s)) checked.warnings.push_back(located(warning, *loaded));
  checked.summary = name + ": ok, " + std::to_string(s.devices.size()) + " devices, " + std::to_string(s.links.size()) +
                    " links, " + std::to_string(s.traffic.size()) + " traffic entries, " +
                    std::to_string(s.expect.size()) + " expectations\n";
  return checked;
}

}  // namespace

Exit check(const Arguments& arguments, Terminal& terminal) {
  const bool json = arguments.has("--json");
  auto document = nlohmann::ordered_json{{"problems", nlohmann::ordered_json::array()},
                                         {"warnings", nlohmann::ordered_json::array()}};
  bool wrong = false;
  for (const auto& name : arguments.words()) {
    const auto [problems, warnings, summary] = check_one(name, arguments);
    wrong = wrong || !problems.empty();
    for (const auto& problem : problems) document["problems"].push_back(to_json(problem));
    for (const auto& warning : warnings) document["warnings"].push_back(to_json(warning));
    if (json) continue;
    terminal.data(summary);
    for (const auto& warning : warnings) terminal.warn(to_string(warning));
    terminal.report(problems);
  }
  if (json) terminal.data(document.dump(2) + "\n");
  return wrong ? Exit::wrong_input : Exit::done;
}

}  // namespace peerpath::cli
