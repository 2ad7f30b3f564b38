#include <nlohmann/json.hpp>

#include "peerpath/scenario/describe.hpp"
#include "scenario/network/describe.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/output_file.hpp"

namespace peerpath::cli {

namespace {

/// Which of the two kinds a scenario is shows in its `network`.
std::string schema_of_all() {
  using Json = nlohmann::ordered_json;
  auto pcie = Json::parse(scenario::schema_json());
  Json all{{"$schema", pcie["$schema"]}, {"title", pcie["title"]}};
  pcie.erase("$schema");
  pcie.erase("title");
  all["type"] = "object";
  all["if"] = {{"required", {"network"}}};
  all["then"] = Json::parse(network_scenario::schema_json());
  all["else"] = std::move(pcie);
  return all.dump(2) + "\n";
}

}  // namespace

Exit schema(const Arguments& arguments, Terminal& terminal) {
  const auto text = schema_of_all();
  const auto file = arguments.value("--out");
  if (!file) {
    terminal.data(text);
    return Exit::done;
  }
  return write_file(*file, text, terminal) ? Exit::done : Exit::wrong_input;
}

}  // namespace peerpath::cli
