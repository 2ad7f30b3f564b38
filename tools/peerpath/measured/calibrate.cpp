#include "validation/calibrate/fit.hpp"

#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/dataset_file.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "validation/calibrate/assess.hpp"
#include "validation/calibrate/node.hpp"
#include "validation/calibrate/preset.hpp"

namespace peerpath::cli {

Exit calibrate(const Arguments& arguments, Terminal& terminal) {
  const auto dataset = load_dataset(arguments.words().front(), terminal);
  if (!dataset) return Exit::wrong_input;
  if (dataset->gpus.empty()) {
    terminal.error(dataset->file + " has no GPU: NIC experiments are not modelled");
    return Exit::wrong_input;
  }
  if (!calibrate::can_fit(compare::fitted_points(*dataset))) {
    terminal.error(dataset->file + ": no point available to the fit has a law, so there is nothing to calibrate");
    return Exit::wrong_input;
  }
  terminal.say("fitting " + std::to_string(compare::fitted_points(*dataset).size()) + " of " +
               std::to_string(dataset->points.size()) + " points");
  const auto calibration = calibrate::fit(dataset->gpus.front(), compare::fitted_points(*dataset));
  const auto document = calibrate::calibration_json(calibration, *dataset);
  if (const auto out = arguments.value("--out"); out && !write_file(*out, document, terminal)) return Exit::wrong_input;
  if (const auto preset = arguments.value("--preset");
      preset && !write_file(*preset, calibrate::scenario_preset(calibration, *dataset), terminal))
    return Exit::wrong_input;
  terminal.data(arguments.has("--json") ? document : calibrate::to_text(calibration));
  return Exit::done;
}

}  // namespace peerpath::cli
