// One boot of the guest: starts QEMU, watches the console, ends it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "validation/emulator/equipment.hpp"
#include "validation/emulator/events.hpp"

namespace peerpath::emulator {

struct BootOptions {
  std::vector<std::string> machine;       ///< Machine::arguments
  std::vector<std::string> kernel_words;  ///< added to the kernel's command line
  std::string job;                        ///< shell script, see qemu-devices/guest/init
  std::filesystem::path folder;           ///< gets job.sh, console.log, qemu.log, report.jsonl, before_event_*.json
  std::string monitor;                    ///< MachineOptions::monitor; needed for events
  std::vector<TimedCommands> events;      ///< the boot fails if the guest's job ends before the last one
  std::chrono::seconds timeout{120};
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string&)> console = [](const std::string&) {};  ///< each line of the guest's console
};

struct BootResult {
  std::vector<std::string> report;  ///< the lines that the job reported: JSON
  int status = 0;                   ///< of the job
  int tainted = 0;                  ///< /proc/sys/kernel/tainted at the end
  bool interrupted = false;
};

/// Boots, runs the job and waits for the end. If the guest hangs, oopses or ends without a word, a text that says so
/// and shows the last lines of its console.
tl::expected<BootResult, std::string> boot(const Equipment& equipment, const BootOptions& options);

/// QEMU's command line up to the console: for those who want to sit at it.
std::vector<std::string> command_line(const Equipment& equipment, const std::vector<std::string>& machine,
                                      const std::vector<std::string>& kernel_words);

}  // namespace peerpath::emulator
