// run.json describes one execution of the program, apart from its results: host, compiler, date, wall time, command,
// and the files that it was made from.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "study/outcome.hpp"
#include "tools/peerpath/files/input_files.hpp"

namespace peerpath::cli {

struct RunRecord {
  std::string backend = "model";
  std::string fabric;
  std::string loop;       ///< what drove the model
  std::string processor;  ///< of the emulator's guest: KVM, or TCG and why
  std::string kernel;     ///< release of the guest's
  std::chrono::system_clock::time_point started{};
  std::chrono::nanoseconds wall{};
  Duration simulated{};
  int exit = 0;
  std::filesystem::path scenario_file{};
  std::string quantum{};  ///< of the fabric's batches; "" where there is no fabric
  std::vector<study::TraceFile> traces;
  InputFiles inputs;                                   ///< the scenario, what it extends, captures that it replays
  std::optional<std::vector<std::string>> protocol{};  ///< violations; none: not checked
};

/// The document. Command and host are asked of the system.
std::string run_json(const RunRecord& record);

}  // namespace peerpath::cli
