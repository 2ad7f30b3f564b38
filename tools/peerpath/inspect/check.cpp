#include <nlohmann/json.hpp>

#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/scenario_files.hpp"

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

Checked check_one(const std::string& name, const std::vector<std::string>& overrides) {
  const auto subject = load_subject(name, overrides);
  if (!subject) return {subject.error(), {}, {}};
  return {{}, (*subject)->warnings(), name + ": ok, " + (*subject)->contents() + "\n"};
}

}  // namespace

Exit check(const Arguments& arguments, Terminal& terminal) {
  const bool json = arguments.has("--json");
  auto document = nlohmann::ordered_json{{"problems", nlohmann::ordered_json::array()},
                                         {"warnings", nlohmann::ordered_json::array()}};
  bool wrong = false;
  for (const auto& name : arguments.words()) {
    const auto [problems, warnings, summary] = check_one(name, arguments.overrides());
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
