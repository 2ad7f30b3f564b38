#include "tools/peerpath/run_on_emulator.hpp"

#include "peerpath/observe/finish.hpp"
#include "tools/peerpath/interrupt.hpp"
#include "tools/peerpath/run_output.hpp"
#include "tools/peerpath/transfer_table.hpp"
#include "validation/emulator/emulate.hpp"

namespace peerpath::cli {

Exit run_on_emulator(const Arguments& arguments, const scenario::Loaded& loaded, InputFiles inputs,
                     Terminal& terminal) {
  const auto equipment = emulator::find_equipment();
  if (!equipment) return waive(arguments, {equipment.error()}, {}, terminal);
  terminal.say("guest: runs by " + equipment->processor);
  const InterruptGuard guard;
  emulator::RunOptions options;
  options.folder = output_folder(arguments, loaded.scenario) / "emulator";
  options.stop = [&guard] { return guard.interrupted(); };
  options.console = [&terminal](const std::string& line) { terminal.say("guest: " + line); };

  RunRecord record;
  record.inputs = std::move(inputs);
  record.backend = "emulator";
  record.fabric = "none";
  record.processor = equipment->processor;
  record.started = std::chrono::system_clock::now();
  const auto begin = std::chrono::steady_clock::now();
  auto outcome = emulator::run_emulator(loaded.scenario, *equipment, options);
  record.wall = std::chrono::steady_clock::now() - begin;
  if (!outcome) {
    if (!outcome.error().guest.empty()) {
      terminal.error(outcome.error().guest);
      return Exit::expectation_failed;
    }
    report_located(outcome.error().problems, loaded, terminal);
    return Exit::wrong_input;
  }
  auto& results = outcome->results;
  const auto unknown = observe::finish(results, loaded.scenario);
  results.expectations.insert(results.expectations.begin(), outcome->requirements.begin(), outcome->requirements.end());
  const auto exit = report_located(unknown, loaded, terminal) > 0 ? Exit::wrong_input : verdict(results);
  record.exit = static_cast<int>(exit);
  return publish(arguments, loaded, results, record, transfer_table(results, loaded.scenario, terminal), terminal);
}

}  // namespace peerpath::cli
