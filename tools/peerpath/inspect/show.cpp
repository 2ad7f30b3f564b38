#include <nlohmann/json.hpp>

#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/refusal.hpp"
#include "tools/peerpath/files/scenario_files.hpp"

namespace peerpath::cli {

Exit show(const Arguments& arguments, Terminal& terminal) {
  using Json = nlohmann::ordered_json;
  const auto loaded = load_subject(arguments.words().front(), arguments.overrides());
  if (!loaded) {
    terminal.report(loaded.error());
    return Exit::wrong_input;
  }
  const auto& subject = **loaded;
  if (const auto why = refusal(arguments, "show", "a " + std::string{subject.kind()} + " scenario"); !why.empty()) {
    terminal.error(why);
    return Exit::wrong_input;
  }
  if (arguments.has("--dot")) return terminal.data(subject.graph().value_or("")), Exit::done;
  const auto scenario = subject.written();
  if (!arguments.has("--resolved"))
    terminal.data(scenario.dump(2) + "\n");
  else if (arguments.has("--json"))
    terminal.data(Json{{"scenario", scenario},
                       {"origins", scenario::written_origins(subject.origins())},
                       {"absent", subject.absent()}}
                      .dump(2) +
                  "\n");
  else
    terminal.data(scenario::resolved_text(scenario, subject.origins(), subject.absent()));
  return Exit::done;
}

}  // namespace peerpath::cli
