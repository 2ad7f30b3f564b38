#include <filesystem>

#include "tools/peerpath/catalogue.hpp"
#include "tools/peerpath/scenario_files.hpp"
#include "validation/pcie_bench/validate.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

/// Measured sets stand beside the scenarios, in the source tree and where the program is installed.
fs::path data_folder() {
  for (const auto& scenarios : scenario_folders()) {
    const auto data = scenarios.parent_path() / "validation" / "data";
    std::error_code error;
    if (fs::is_directory(data, error)) return data;
  }
  return fs::path{"validation"} / "data";
}

}  // namespace

Exit validate(const Arguments& arguments, Terminal& terminal) {
  if (arguments.words().front() != "pcie-bench") {
    terminal.error("\"" + arguments.words().front() + "\" is not a measured set; there is pcie-bench");
    return Exit::wrong_input;
  }
  pcie_bench::Options options;
  options.data = arguments.value("--data").value_or((data_folder() / "pcie-bench").string());
  options.host = arguments.value("--host");
  options.card = data_folder() / "presets" / "nfp6000.json";
  options.refit_card = arguments.has("--refit-card");
  options.json = arguments.has("--json");
  const auto outcome = pcie_bench::validate(options, [&](std::string_view what) { terminal.say(what); });
  terminal.report(outcome.problems);
  terminal.data(outcome.text);
  return static_cast<Exit>(outcome.exit);
}

}  // namespace peerpath::cli
