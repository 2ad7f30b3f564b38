#include <nlohmann/json.hpp>

#include "study/text/text_table.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/version.hpp"
#include "tools/peerpath/inspect/machine.hpp"

namespace peerpath::cli {

Exit doctor(const Arguments& arguments, Terminal& terminal) {
  const auto findings = examine_machine();
  auto document = nlohmann::ordered_json{{"peerpath", version()},
                                         {"compiler", compiler()},
                                         {"build_type", build_type()},
                                         {"systemc", systemc_version()},
                                         {"findings", nlohmann::ordered_json::array()}};
  study::TextTable table{
      {{"", study::TextTable::Align::left}, {"", study::TextTable::Align::left}, {"", study::TextTable::Align::left}}};
  for (const auto& f : findings) {
    document["findings"].push_back({{"name", f.name}, {"found", f.found}, {"detail", f.detail}, {"for", f.purpose}});
    table.add({f.found ? "found  " : "missing", f.name, f.found ? f.detail : "for " + f.purpose + "; " + f.detail});
  }
  if (arguments.has("--json")) {
    terminal.data(document.dump(2) + "\n");
    return Exit::done;
  }
  terminal.data("peerpath " + std::string{version()} + ", " + std::string{build_type()} + " build by " +
                std::string{compiler()} + ", SystemC " + std::string{systemc_version()} + "\n\n" + table.text());
  return Exit::done;
}

}  // namespace peerpath::cli
