#include <nlohmann/json.hpp>

#include "tools/peerpath/catalogue.hpp"
#include "tools/peerpath/scenario_files.hpp"

namespace peerpath::cli {
namespace {

nlohmann::ordered_json to_json(const Problem& problem) {
  return {{"file", problem.file},
          {"line", problem.line},
          {"column", problem.column},
          {"key", problem.key},
          {"message", problem.message}};
}

Problems problems_of(const std::string& name, const Arguments& arguments, std::string& summary) {
  auto loaded = load_scenario(name, arguments);
  if (!loaded) return loaded.error();
  const auto& s = loaded->scenario;
  summary = name + ": ok, " + std::to_string(s.devices.size()) + " devices, " + std::to_string(s.links.size()) +
            " links, " + std::to_string(s.traffic.size()) + " traffic entries, " + std::to_string(s.expect.size()) +
            " expectations\n";
  return {};
}

}  // namespace

Exit check(const Arguments& arguments, Terminal& terminal) {
  const bool json = arguments.has("--json");
  auto document = nlohmann::ordered_json{{"problems", nlohmann::ordered_json::array()}};
  bool wrong = false;
  for (const auto& name : arguments.words()) {
    std::string summary;
    const auto problems = problems_of(name, arguments, summary);
    wrong = wrong || !problems.empty();
    if (json)
      for (const auto& problem : problems) document["problems"].push_back(to_json(problem));
    else if (problems.empty())
      terminal.data(summary);
    else
      terminal.report(problems);
  }
  if (json) terminal.data(document.dump(2) + "\n");
  return wrong ? Exit::wrong_input : Exit::done;
}

}  // namespace peerpath::cli
