#include "validation/experiments/measure.hpp"

#include "tools/peerpath/command_line/catalogue.hpp"

namespace peerpath::cli {
namespace {

Exit exit_of(experiments::MeasureEnd end) {
  switch (end) {
    case experiments::MeasureEnd::done:
      return Exit::done;
    case experiments::MeasureEnd::points_failed:
      return Exit::expectation_failed;
    case experiments::MeasureEnd::waived:
      return Exit::waived;
    case experiments::MeasureEnd::wrong_input:
      break;
  }
  return Exit::wrong_input;
}

}  // namespace

Exit measure(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--list")) {
    terminal.data(experiments::list_experiments());
    return Exit::done;
  }
  experiments::MeasureOptions options;
  const auto backend = arguments.value("--backend").value_or("cuda");
  const auto vendor = gpu_backend::vendor_named(backend);
  if (!vendor) {
    terminal.error("--backend takes cuda or hip, not '" + backend + "'");
    return Exit::wrong_input;
  }
  options.vendor = *vendor;
  options.out = arguments.value("--out").value_or(options.out);
  options.kernels = arguments.value("--kernels").value_or("");
  options.library = arguments.value("--library").value_or("");
  options.nic = {arguments.value("--peer").value_or(""), arguments.value("--agent").value_or("")};
  options.only = arguments.values("--only");
  options.command = "peerpath measure --backend " + backend;
  if (!options.nic.peer.empty()) options.command += " --peer PEER";  // a dataset names no machines
  for (const auto& name : options.only) options.command += " --only " + name;
  return exit_of(experiments::measure(options, [&](std::string_view line) { terminal.say(line); }));
}

}  // namespace peerpath::cli
