#include <nlohmann/json.hpp>

#include "peerpath/scenario/describe.hpp"
#include "scenario/write.hpp"
#include "tools/peerpath/catalogue.hpp"
#include "tools/peerpath/graph.hpp"
#include "tools/peerpath/scenario_files.hpp"

namespace peerpath::cli {

Exit show(const Arguments& arguments, Terminal& terminal) {
  const auto loaded = load_scenario(arguments.words().front(), arguments, terminal);
  if (!loaded) return Exit::wrong_input;
  if (arguments.has("--dot")) return terminal.data(graph_text(loaded->scenario)), Exit::done;
  const auto scenario = scenario::written(loaded->scenario);
  if (arguments.has("--resolved") && arguments.has("--json")) {
    const auto origins = scenario::written_origins(*loaded);
    terminal.data(nlohmann::ordered_json{{"scenario", scenario}, {"origins", origins}}.dump(2) + "\n");
  } else if (arguments.has("--resolved")) {
    terminal.data(scenario::resolved_text(*loaded));
  } else {
    terminal.data(scenario.dump(2) + "\n");
  }
  return Exit::done;
}

}  // namespace peerpath::cli
