#include <unistd.h>

#include "study/located.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/interrupt.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/run/guest_equipment.hpp"
#include "tools/peerpath/run/run_output.hpp"
#include "validation/emulator/guest.hpp"
#include "validation/emulator/machine.hpp"

namespace peerpath::cli {
namespace {

/// The user's terminal becomes the guest's console; does not return if QEMU can be started.
Exit sit_at_console(const emulator::Equipment& equipment, const emulator::Machine& machine, const Terminal& terminal) {
  auto command = emulator::command_line(equipment, machine.arguments, machine.kernel_words);
  command.insert(command.end(), {"-serial", "mon:stdio"});
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  terminal.say("Ctrl-A X ends the guest, Ctrl-A C switches to QEMU's monitor");
  ::execv(words[0], words.data());
  terminal.error("cannot start " + command[0]);
  return Exit::bug;
}

/// Runs the job in the guest and prints its report, one JSON document a line.
Exit run_job(const emulator::Equipment& equipment, emulator::BootOptions options, const Terminal& terminal) {
  const InterruptGuard guard;
  options.stop = [&guard] { return guard.interrupted(); };
  options.console = [&terminal](const std::string& line) { terminal.say("guest: " + line); };
  const auto result = emulator::boot(equipment, options);
  if (!result) {
    terminal.error(result.error());
    return Exit::expectation_failed;
  }
  for (const auto& line : result->report) terminal.data(line + "\n");
  if (result->interrupted) return Exit::interrupted;
  return result->status == 0 ? Exit::done : Exit::expectation_failed;
}

}  // namespace

Exit emulate(const Arguments& arguments, Terminal& terminal) {
  const auto loaded = load_host(arguments.words().front(), arguments.overrides(), terminal);
  if (!loaded) return Exit::wrong_input;
  const OutputArguments output{arguments.value("--out")};
  const auto job_file = arguments.value("--job");
  if (arguments.has("--shell") == job_file.has_value()) {
    terminal.error("emulate takes either --shell or --job FILE");
    return Exit::wrong_input;
  }
  const auto equipment = guest_equipment(arguments.value("--kernel"), output, terminal);
  if (!equipment) return equipment.error();
  auto machine = emulator::make_machine(
      loaded->scenario,
      {.ledger = {}, .trace = {}, .kvm = equipment->kvm, .side = {}, .monitor = {}, .socket_folder = {}});
  if (!machine) {
    Problems placed;
    for (const auto& problem : machine.error()) placed.push_back(study::located(problem, *loaded));
    terminal.report(placed);
    return Exit::wrong_input;
  }
  if (const auto disk = arguments.value("--disk")) {
    for (const auto& word :
         {std::string{"-drive"}, "if=none,id=disk,format=raw,snapshot=on,file=" + emulator::option_value(*disk),
          std::string{"-device"}, std::string{"virtio-blk-pci,drive=disk"}}) {
      machine->arguments.push_back(word);
    }
  }
  if (!job_file) return sit_at_console(*equipment, *machine, terminal);

  const auto job = read_file(*job_file);
  if (!job) {
    terminal.error("cannot read " + *job_file);
    return Exit::wrong_input;
  }
  emulator::BootOptions options;
  options.machine = machine->arguments;
  options.kernel_words = machine->kernel_words;
  options.job = *job;
  options.folder = output_folder(output, loaded->scenario.name) / "emulator";
  options.timeout = std::chrono::seconds{loaded->scenario.emulator.timeout / std::chrono::seconds{1}};
  return run_job(*equipment, std::move(options), terminal);
}

}  // namespace peerpath::cli
