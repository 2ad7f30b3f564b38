#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "scenario/quantity.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/whole_number.hpp"
#include "tools/peerpath/files/dataset_file.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/measured/validate_all.hpp"
#include "tools/peerpath/measured/validate_sockets.hpp"
#include "tools/report/curves_page.hpp"
#include "validation/calibrate/assess.hpp"
#include "validation/calibrate/node.hpp"
#include "validation/calibrate/preset.hpp"
#include "validation/calibrate/spread.hpp"
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

bool read_cache_options(const Arguments& arguments, pcie_bench::Options& options, const Terminal& terminal) {
  if (const auto text = arguments.value("--cache")) {
    const auto size = scenario::parse_quantity<Bytes>(*text);
    if (!size || *size <= Bytes{0}) {
      terminal.error("--cache " + *text + ": " + (size ? "must be larger than 0" : size.error()));
      return false;
    }
    options.cache = *size;
  }
  if (const auto text = arguments.value("--cache-ways")) {
    options.cache_ways = whole_number(*text, 2);
    if (!options.cache_ways) {
      terminal.error("--cache-ways " + *text + ": a whole number from 2 (two are the devices')");
      return false;
    }
  }
  return true;
}

Exit validate_pcie_bench(const Arguments& arguments, const Terminal& terminal) {
  pcie_bench::Options options;
  options.data = arguments.value("--data").value_or((data_folder() / "pcie-bench").string());
  options.host = arguments.value("--host");
  options.card = data_folder() / "presets" / "nfp6000.json";
  options.refit_card = arguments.has("--refit-card");
  options.without = arguments.value("--without");
  options.leave_one_out = arguments.has("--leave-one-out");
  options.left_out_cards = data_folder() / "presets" / "nfp6000_without";
  if (!read_cache_options(arguments, options, terminal)) return Exit::wrong_input;
  options.json = arguments.has("--json");
  const auto outcome = pcie_bench::validate(options, [&](std::string_view what) { terminal.say(what); });
  terminal.report(outcome.problems);
  terminal.data(outcome.text);
  return static_cast<Exit>(outcome.exit);
}

/// The parameters of --calibration, or those of a fit to a third of the points.
tl::expected<calibrate::Calibration, Problems> parameters_for(const compare::Dataset& dataset,
                                                              const Arguments& arguments, const Terminal& terminal) {
  if (const auto file = arguments.value("--calibration"))
    return calibrate::read_calibration(read_file(*file).value_or(""), *file);
  terminal.say("fitting a third of the points");
  return calibrate::fit(dataset.gpus.front(), compare::fitted_points(dataset));
}

Exit validate_dataset(const std::string& file, const Arguments& arguments, const Terminal& terminal) {
  const auto dataset = load_dataset(file, terminal);
  if (!dataset) return Exit::wrong_input;
  if (is_of_sockets(*dataset)) {
    for (const auto* option : {"--laws", "--out", "--spread"})
      if (arguments.has(option))
        return terminal.error(std::string{option} + " requires a gpunet dataset"), Exit::wrong_input;
    return validate_sockets(*dataset, arguments, terminal);
  }
  if (dataset->gpus.empty()) {
    terminal.error(dataset->file + " has no GPU: NIC experiments are not modelled");
    return Exit::wrong_input;
  }
  if (!arguments.has("--calibration") && !calibrate::can_fit(compare::fitted_points(*dataset))) {
    terminal.error(dataset->file +
                   ": no point available to the fit has a law; use --calibration FILE of a similar machine");
    return Exit::wrong_input;
  }
  const auto calibration = parameters_for(*dataset, arguments, terminal);
  if (!calibration) {
    terminal.report(calibration.error());
    return Exit::wrong_input;
  }
  std::vector<compare::Dataset> takes{*dataset};
  for (const auto& other_file : arguments.values("--spread")) {
    auto other = load_dataset(other_file, terminal);
    if (!other) return Exit::wrong_input;
    takes.push_back(std::move(*other));
  }
  auto assessment = calibrate::assess(*dataset, *calibration);
  if (!arguments.has("--laws"))
    calibrate::play_scenarios(assessment, *dataset, calibrate::scenario_preset(*calibration, *dataset),
                              [&](const std::string& what) { terminal.say(what); });
  const std::span others{takes.data() + 1, takes.size() - 1};
  calibrate::add_takes(assessment, others);
  auto document = calibrate::to_json(assessment);
  if (const auto page = arguments.value("--out"); page && !write_file(*page, report::curves_page(document), terminal))
    return Exit::wrong_input;
  auto text = calibrate::to_text(assessment);
  if (!others.empty()) {
    auto all = nlohmann::ordered_json::parse(document);
    const auto spread = calibrate::spread_of(takes);
    text += calibrate::to_text(spread);
    all["spread"] = nlohmann::ordered_json::parse(calibrate::to_json(spread));
    document = all.dump(2) + "\n";
  }
  terminal.data(arguments.has("--json") ? document : text);
  return assessment.passed() ? Exit::done : Exit::expectation_failed;
}

/// Refuses options of another kind of validation, which would be accepted and then have no effect.
bool has_options_of_another(const std::string& what, const Arguments& arguments, const Terminal& terminal) {
  bool found = false;
  const auto refuse = [&](std::string_view option, const std::string& whose) {
    if (what == whose || !arguments.has(option)) return;
    terminal.error(std::string{option} + " is of " + whose + ", not of " + what);
    found = true;
  };
  for (const auto* option : {"--calibration", "--laws", "--out", "--spread"}) refuse(option, "a dataset");
  for (const auto* option :
       {"--data", "--host", "--leave-one-out", "--cache", "--cache-ways", "--refit-card", "--without"})
    refuse(option, "pcie-bench");
  return found;
}

}  // namespace

Exit validate(const Arguments& arguments, Terminal& terminal) {
  const auto& words = arguments.words();
  if (words.empty() != arguments.has("--all")) {
    terminal.error("validate takes one of pcie-bench, a dataset of `peerpath measure`, and --all");
    return Exit::wrong_input;
  }
  const std::string what = words.empty() ? "--all" : words.front() == "pcie-bench" ? "pcie-bench" : "a dataset";
  if (has_options_of_another(what, arguments, terminal)) return Exit::wrong_input;
  if (what == "--all") return validate_all(data_folder(), arguments, terminal);
  return what == "pcie-bench" ? validate_pcie_bench(arguments, terminal)
                              : validate_dataset(words.front(), arguments, terminal);
}

}  // namespace peerpath::cli
