#include <nlohmann/json.hpp>

#include "peerpath/scenario/describe.hpp"
#include "tools/peerpath/catalogue.hpp"
#include "tools/peerpath/scenario_files.hpp"

namespace peerpath::cli {

Exit show(const Arguments& arguments, Terminal& terminal) {
  const auto loaded = load_scenario(arguments.words().front(), arguments, terminal);
  if (!loaded) return Exit::wrong_input;
  const auto scenario = nlohmann::ordered_json::parse(scenario::to_json(loaded->scenario));
  if (arguments.has("--resolved") && arguments.has("--json")) {
    const auto origins = nlohmann::ordered_json::parse(scenario::origins_json(*loaded));
    terminal.data(nlohmann::ordered_json{{"scenario", scenario}, {"origins", origins}}.dump(2) + "\n");
  } else if (arguments.has("--resolved")) {
    terminal.data(scenario::resolved_text(*loaded));
  } else {
    terminal.data(scenario.dump(2) + "\n");
  }
  return Exit::done;
}

}  // namespace peerpath::cli
