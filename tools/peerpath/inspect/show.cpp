#include <nlohmann/json.hpp>

#include "peerpath/scenario/describe.hpp"
#include "scenario/network/write.hpp"
#include "scenario/write.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/network_files.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/inspect/graph.hpp"

namespace peerpath::cli {

namespace {

using Json = nlohmann::ordered_json;

Exit print_scenario(const Json& scenario, const std::map<std::string, scenario::Origin>& origins,
                    const scenario::Absent& absent, const Arguments& arguments, const Terminal& terminal) {
  if (!arguments.has("--resolved"))
    terminal.data(scenario.dump(2) + "\n");
  else if (arguments.has("--json"))
    terminal.data(
        Json{{"scenario", scenario}, {"origins", scenario::written_origins(origins)}, {"absent", absent}}.dump(2) +
        "\n");
  else
    terminal.data(scenario::resolved_text(scenario, origins, absent));
  return Exit::done;
}

Exit show_network(const network_scenario::Loaded& loaded, const Arguments& arguments, const Terminal& terminal) {
  if (arguments.has("--dot")) return terminal.error("--dot supports PCIe scenarios only"), Exit::wrong_input;
  return print_scenario(network_scenario::written(loaded.scenario), loaded.origins,
                        network_scenario::absent(loaded.scenario), arguments, terminal);
}

}  // namespace

Exit show(const Arguments& arguments, Terminal& terminal) {
  const auto& name = arguments.words().front();
  if (const auto network = load_network(name, arguments)) {
    if (*network) return show_network(**network, arguments, terminal);
    terminal.report(network->error());
    return Exit::wrong_input;
  }
  const auto loaded = load_scenario(name, arguments, terminal);
  if (!loaded) return Exit::wrong_input;
  if (arguments.has("--dot")) return terminal.data(graph_text(loaded->scenario)), Exit::done;
  return print_scenario(scenario::written(loaded->scenario), loaded->origins, scenario::absent(loaded->scenario),
                        arguments, terminal);
}

}  // namespace peerpath::cli
