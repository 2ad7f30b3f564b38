#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "scenario/quantity.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/refusal.hpp"
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

/// What the command line of `validate` asks for.
struct ValidateArguments {
  std::optional<std::string> calibration, out, data, host, without;
  std::vector<std::string> spread;
  EvidenceRequest all{};
  std::optional<Bytes> cache{};
  std::optional<int> cache_ways{};
  bool laws = false, leave_one_out = false, refit_card = false, json = false;
};

/// nullopt, and said why, if it is wrong.
std::optional<ValidateArguments> validate_arguments(const Arguments& arguments, const Terminal& terminal) {
  ValidateArguments wanted{arguments.value("--calibration"), arguments.value("--out"),
                           arguments.value("--data"),        arguments.value("--host"),
                           arguments.value("--without"),     arguments.values("--spread")};
  if (const auto text = arguments.value("--cache")) {
    const auto size = scenario::parse_quantity<Bytes>(*text);
    if (!size || *size <= Bytes{0}) {
      terminal.error("--cache " + *text + ": " + (size ? "must be larger than 0" : size.error()));
      return std::nullopt;
    }
    wanted.cache = *size;
  }
  if (const auto text = arguments.value("--cache-ways")) {
    wanted.cache_ways = whole_number(*text, 2);
    if (!wanted.cache_ways) {
      terminal.error("--cache-ways " + *text + ": a whole number from 2 (two are the devices')");
      return std::nullopt;
    }
  }
  wanted.laws = arguments.has("--laws");
  wanted.leave_one_out = arguments.has("--leave-one-out");
  wanted.refit_card = arguments.has("--refit-card");
  wanted.json = arguments.has("--json");
  wanted.all = {arguments.values("--only"), arguments.has("--whole"), arguments.has("--write"), wanted.json};
  return wanted;
}

Exit validate_pcie_bench(const ValidateArguments& wanted, const Terminal& terminal) {
  pcie_bench::Options options;
  options.data = wanted.data.value_or((data_folder() / "pcie-bench").string());
  options.host = wanted.host;
  options.card = data_folder() / "presets" / "nfp6000.json";
  options.refit_card = wanted.refit_card;
  options.without = wanted.without;
  options.leave_one_out = wanted.leave_one_out;
  options.left_out_cards = data_folder() / "presets" / "nfp6000_without";
  if (wanted.cache) options.cache = *wanted.cache;
  if (wanted.cache_ways) options.cache_ways = wanted.cache_ways;
  options.json = wanted.json;
  const auto outcome = pcie_bench::validate(options, [&](std::string_view what) { terminal.say(what); });
  terminal.report(outcome.problems);
  terminal.data(outcome.text);
  return static_cast<Exit>(outcome.exit);
}

/// The parameters of --calibration, or those of a fit to a third of the points.
tl::expected<calibrate::Calibration, Problems> parameters_for(const compare::Dataset& dataset,
                                                              const std::optional<std::string>& file,
                                                              const Terminal& terminal) {
  if (file) return calibrate::read_calibration(read_file(*file).value_or(""), *file);
  terminal.say("fitting a third of the points");
  return calibrate::fit(dataset.gpus.front(), compare::fitted_points(dataset));
}

Exit validate_dataset(const compare::Dataset& dataset, const ValidateArguments& wanted, const Terminal& terminal) {
  if (dataset.gpus.empty()) {
    terminal.error(dataset.file + " has no GPU: NIC experiments are not modelled");
    return Exit::wrong_input;
  }
  if (!wanted.calibration && !calibrate::can_fit(compare::fitted_points(dataset))) {
    terminal.error(dataset.file +
                   ": no point available to the fit has a law; use --calibration FILE of a similar machine");
    return Exit::wrong_input;
  }
  const auto calibration = parameters_for(dataset, wanted.calibration, terminal);
  if (!calibration) {
    terminal.report(calibration.error());
    return Exit::wrong_input;
  }
  std::vector<compare::Dataset> takes{dataset};
  for (const auto& other_file : wanted.spread) {
    auto other = load_dataset(other_file, terminal);
    if (!other) return Exit::wrong_input;
    takes.push_back(std::move(*other));
  }
  auto assessment = calibrate::assess(dataset, *calibration);
  if (!wanted.laws)
    calibrate::play_scenarios(assessment, dataset, calibrate::scenario_preset(*calibration, dataset),
                              [&](const std::string& what) { terminal.say(what); });
  const std::span others{takes.data() + 1, takes.size() - 1};
  calibrate::add_takes(assessment, others);
  auto document = calibrate::to_json(assessment);
  if (wanted.out && !write_file(*wanted.out, report::curves_page(document), terminal)) return Exit::wrong_input;
  auto text = calibrate::to_text(assessment);
  if (!others.empty()) {
    auto all = nlohmann::ordered_json::parse(document);
    const auto spread = calibrate::spread_of(takes);
    text += calibrate::to_text(spread);
    all["spread"] = nlohmann::ordered_json::parse(calibrate::to_json(spread));
    document = all.dump(2) + "\n";
  }
  terminal.data(wanted.json ? document : text);
  return assessment.passed() ? Exit::done : Exit::expectation_failed;
}

}  // namespace

Exit validate(const Arguments& arguments, Terminal& terminal) {
  const auto& words = arguments.words();
  if (words.empty() != arguments.has("--all")) {
    terminal.error("validate takes one of pcie-bench, a dataset of `peerpath measure`, and --all");
    return Exit::wrong_input;
  }
  const auto refused = [&](std::string_view what) {
    const auto why = refusal(arguments, "validate", what);
    if (!why.empty()) terminal.error(why);
    return !why.empty();
  };
  const std::string what = words.empty() ? "--all" : words.front() == "pcie-bench" ? "pcie-bench" : "a dataset";
  if (refused(what)) return Exit::wrong_input;
  const auto wanted = validate_arguments(arguments, terminal);
  if (!wanted) return Exit::wrong_input;
  if (what == "--all") return validate_all(data_folder().parent_path(), wanted->all, terminal);
  if (what == "pcie-bench") return validate_pcie_bench(*wanted, terminal);
  const auto dataset = load_dataset(words.front(), terminal);
  if (!dataset) return Exit::wrong_input;
  if (!is_of_sockets(*dataset)) return validate_dataset(*dataset, *wanted, terminal);
  if (refused("a gpunet dataset")) return Exit::wrong_input;
  return validate_sockets(*dataset, wanted->calibration.value_or(""), wanted->json, terminal);
}

}  // namespace peerpath::cli
